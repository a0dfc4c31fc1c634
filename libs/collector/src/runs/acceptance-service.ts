import { judgeStored, notesOfOutcome } from '@dacapo/evaluation';
import {
  type AcceptItemRequest,
  formatTimestamp,
  type SpanRecord,
  type TestRunItemRecord,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { type AcceptedOutcome, sourceOf } from '../storage/accepted-outcome-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { SpanStore } from '../storage/span-store.js';
import { sha256 } from './sha256.js';
import { TestRunItemService } from './test-run-item-service.js';

/** A person's word that the new outcome of an item is the right one. */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly items: TestRunItemService,
    private readonly clock: Clock,
  ) {}

  /**
   * Copies the outcome of the new call. Accepting again takes the place of what was accepted before.
   *
   * @throws NotFoundException when there is no such item
   * @throws ConflictException when there is nothing that later runs could be compared with
   */
  async accept(
    accountId: string,
    runId: string,
    itemNo: number,
    { author, note, repetition = 0 }: AcceptItemRequest,
  ): Promise<TestRunItemRecord> {
    const [run, item, source] = await Promise.all([
      this.meta.testRuns.find(accountId, runId),
      this.items.get(accountId, runId, itemNo, repetition),
      this.sourceOfItem(accountId, runId, itemNo),
    ]);
    if (run === undefined) throw new NotFoundException(`Test run ${runId} not found`);
    if (item.erased) {
      throw new ConflictException(
        `Item ${itemNo} was erased: a trace that it played or made was deleted. Play other calls.`,
      );
    }
    const played = source ?? sourceOf({ ...refOf(item.source_trace_id, item.source_span_id) });
    if (played === undefined) {
      throw new ConflictException(
        `Item ${itemNo} played no recorded call and no item of a dataset, so that no later run can tell it again. Add it to a dataset, and play that.`,
      );
    }
    const outcome = await this.outcomeOf(accountId, item);
    const { name } = (author === undefined && (await this.meta.accounts.find(accountId))) || { name: '' };
    await this.meta.accepted.add(accountId, {
      traceFunctionKey: run.traceFunctionKey,
      source: played,
      testRunId: runId,
      item: [itemNo, repetition],
      acceptance: {
        author: author ?? { kind: 'person', name },
        accepted_at: formatTimestamp(this.clock.nowUs()),
        ...(note !== undefined && { note }),
      },
      outcome,
    });
    return this.items.get(accountId, runId, itemNo, repetition);
  }

  /**
   * What was accepted before is in force again. Runs that have begun keep what they are compared with.
   *
   * @throws NotFoundException when nothing was accepted from this item
   */
  async takeBack(accountId: string, runId: string, itemNo: number, repetition: number): Promise<void> {
    const now = formatTimestamp(this.clock.nowUs());
    if (!(await this.meta.accepted.takeBack(accountId, runId, [itemNo, repetition], now))) {
      throw new NotFoundException(`Nothing was accepted from item ${itemNo} of test run ${runId}`);
    }
  }

  /** In a run over a dataset the item's own word counts for nothing: the run knows what it gave to play. */
  private async sourceOfItem(accountId: string, runId: string, itemNo: number): Promise<string | undefined> {
    const range = { limit: 1, after: itemNo - 1 };
    const [selected] = await this.meta.testRuns.listSelected(accountId, runId, { left: false }, range);
    return selected?.item_no === itemNo ? sourceOf(selected) : undefined;
  }

  /** @throws ConflictException */
  private async outcomeOf(accountId: string, item: TestRunItemRecord): Promise<AcceptedOutcome> {
    const ref = refOf(item.new_trace_id, item.new_span_id);
    const [span] = ref === undefined ? [] : await this.spans.readSpans(accountId, [ref]);
    const outcome = span === undefined ? reportedOutcome(item, ref !== undefined) : outcomeOfSpan(item, span);
    // A verdict on what is not known to equal itself would never be more than `unknown`.
    if (judgeStored(outcome, outcome, { sha256 }).verdict !== 'same') {
      throw new ConflictException(
        `The outcome of item ${item.item_no} was cut, masked or not recorded whole, so that nothing can be compared with it. Raise capture.maxFieldBytes, or record it with captureOutput, and play it again.`,
      );
    }
    return outcome;
  }
}

function refOf(
  trace_id: string | undefined,
  span_id: string | undefined,
): { trace_id: string; span_id: string } | undefined {
  return trace_id === undefined || span_id === undefined ? undefined : { trace_id, span_id };
}

/** An error is an outcome, too: a function may be meant to fail. */
function outcomeOfSpan(item: TestRunItemRecord, span: SpanRecord): AcceptedOutcome {
  const { status, span_data: data } = span;
  if (status === 'unfinished' || status === 'cancelled') {
    throw new ConflictException(
      `The new call of item ${item.item_no} is ${status}: it has no outcome. Play the item again.`,
    );
  }
  if (status === 'error' && data.error === undefined) {
    throw new ConflictException(
      `The new call of item ${item.item_no} failed, and its error was not recorded: nothing can be compared with it. Play the item again.`,
    );
  }
  const notes = notesOfOutcome(data.meta);
  return {
    ...(data.error && { error: data.error }),
    ...(data.output !== undefined && { output: data.output }),
    ...(notes && { meta: notes }),
  };
}

/** What its reporter said, where the new call is not stored: it was not sampled, or did not arrive yet. */
function reportedOutcome(item: TestRunItemRecord, hasCall: boolean): AcceptedOutcome {
  if (item.error !== undefined && !hasCall) {
    throw new ConflictException(
      `Item ${item.item_no} could not be played: ${item.error.message}. Only the outcome of a call can be accepted.`,
    );
  }
  // Its error may be an evaluator's.
  if (item.error !== undefined || item.result === undefined) {
    throw new ConflictException(
      `The new call of item ${item.item_no} is not stored, or did not arrive yet. Try again in a moment, or play the item again.`,
    );
  }
  const notes = notesOfOutcome(item.meta);
  return { output: item.result, ...(notes && { meta: notes }) };
}
