import { judgeStored, notesOfOutcome } from '@dacapo/evaluation';
import {
  type AcceptItemRequest,
  formatTimestamp,
  type SpanRecord,
  type TestRunItemRecord,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { type AcceptedOutcome, sourceOf } from '../storage/meta/accepted-outcomes.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { sha256 } from '../sha256.js';
import { TestRunItemService } from './test-run-item-service.js';

/** Lets a person accept the new outcome of an item as the expected one of later runs. */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly items: TestRunItemService,
    private readonly clock: Clock,
  ) {}

  /**
   * Copies the outcome of the new call. It replaces an outcome that was accepted before.
   *
   * @throws NotFoundException when the run or the item does not exist
   * @throws ConflictException when later runs cannot be compared with the outcome
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
      this.findSource(accountId, runId, itemNo),
    ]);
    if (run === undefined) throw new NotFoundException(`Test run ${runId} not found`);
    if (item.erased) {
      throw new ConflictException(
        `Item ${itemNo} was erased, because its recorded trace or that of its replay was deleted. Replay other calls.`,
      );
    }
    const stored = source ?? sourceOf({ ...spanRef(item.source_trace_id, item.source_span_id) });
    if (stored === undefined) {
      throw new ConflictException(
        `Item ${itemNo} is an item of a list, so no later run can identify it. Add it to a dataset, and replay the dataset.`,
      );
    }
    const outcome = await this.readOutcome(accountId, item);
    const { name } = (author === undefined && (await this.meta.accounts.find(accountId))) || { name: '' };
    await this.meta.accepted.add(accountId, {
      traceFunctionKey: run.traceFunctionKey,
      source: stored,
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
   * Withdraws the accepted outcome of an item, so the one accepted before it counts again. Runs that have begun keep their baselines.
   *
   * @throws NotFoundException when no outcome of this item is accepted
   */
  async takeBack(accountId: string, runId: string, itemNo: number, repetition: number): Promise<void> {
    const now = formatTimestamp(this.clock.nowUs());
    if (!(await this.meta.accepted.takeBack(accountId, runId, [itemNo, repetition], now))) {
      throw new NotFoundException(`Nothing was accepted from item ${itemNo} of test run ${runId}`);
    }
  }

  /** The source in the run's selection. It has precedence over the one that the reporter sent. */
  private async findSource(accountId: string, runId: string, itemNo: number): Promise<string | undefined> {
    const range = { limit: 1, after: itemNo - 1 };
    const [selected] = await this.meta.testRuns.listSelected(accountId, runId, { left: false }, range);
    return selected?.item_no === itemNo ? sourceOf(selected) : undefined;
  }

  /** @throws ConflictException when the outcome is missing, or cannot be compared */
  private async readOutcome(accountId: string, item: TestRunItemRecord): Promise<AcceptedOutcome> {
    const ref = spanRef(item.new_trace_id, item.new_span_id);
    const [span] = ref === undefined ? [] : await this.spans.readSpans(accountId, [ref]);
    const outcome = span === undefined ? reportedOutcome(item, ref !== undefined) : spanOutcome(item, span);
    // An outcome that is not known to equal itself would make each later verdict `unknown`.
    if (judgeStored(outcome, outcome, { sha256 }).verdict !== 'same') {
      throw new ConflictException(
        `The outcome of item ${item.item_no} was cut, masked or not recorded whole, so that nothing can be compared with it. Raise capture.maxFieldBytes, or record it with captureOutput, and replay it.`,
      );
    }
    return outcome;
  }
}

function spanRef(
  trace_id: string | undefined,
  span_id: string | undefined,
): { trace_id: string; span_id: string } | undefined {
  return trace_id === undefined || span_id === undefined ? undefined : { trace_id, span_id };
}

/** An error can be accepted too: some functions should fail. */
function spanOutcome(item: TestRunItemRecord, span: SpanRecord): AcceptedOutcome {
  const { status, span_data: data } = span;
  if (status === 'unfinished' || status === 'cancelled') {
    throw new ConflictException(
      `The new call of item ${item.item_no} is ${status}: it has no outcome. Replay the item.`,
    );
  }
  if (status === 'error' && data.error === undefined) {
    throw new ConflictException(
      `The new call of item ${item.item_no} failed, and its error was not recorded: nothing can be compared with it. Replay the item.`,
    );
  }
  const notes = notesOfOutcome(data.meta);
  return {
    ...(data.error && { error: data.error }),
    ...(data.output !== undefined && { output: data.output }),
    ...(notes && { meta: notes }),
  };
}

/** The reporter's copy, used when the new call is not stored: it was not sampled, or has not arrived yet. */
function reportedOutcome(item: TestRunItemRecord, hasCall: boolean): AcceptedOutcome {
  if (item.error !== undefined && !hasCall) {
    throw new ConflictException(
      `Item ${item.item_no} could not be replayed: ${item.error.message}. Only the outcome of a call can be accepted.`,
    );
  }
  // The error may come from an evaluator.
  if (item.error !== undefined || item.result === undefined) {
    throw new ConflictException(
      `The new call of item ${item.item_no} is not stored, or did not arrive yet. Try again in a moment, or replay the item.`,
    );
  }
  const notes = notesOfOutcome(item.meta);
  return { output: item.result, ...(notes && { meta: notes }) };
}
