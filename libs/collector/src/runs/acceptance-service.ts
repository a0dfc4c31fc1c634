import { judgeStored, pickOutcomeNotes } from '@dacapo/evaluation';
import {
  type AcceptItemRequest,
  type Acceptance,
  formatTimestamp,
  type SpanRecord,
  type TestRunItemRecord,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { type AcceptedOutcome, toSourceKey } from '../storage/meta/accepted-outcomes.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { ItemKey } from '../storage/ports/test-run.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { sha256 } from '../sha256.js';
import { TestRunItemService } from './test-run-item-service.js';

const ITEMS_AT_ONCE = 100;
const SELECTED_AT_ONCE = 1000;

/** An item whose new outcome can be accepted. */
interface Acceptable {
  key: ItemKey;
  outcome: AcceptedOutcome;
  /** An evaluator failed, so the item has an error that is not that of its call. */
  isUnjudged: boolean;
  /** Identifies the item in later runs; absent for an item of a list. */
  source?: string;
}

interface Refusal {
  key: ItemKey;
  refusal: ConflictException;
}

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
    const run = await this.meta.testRuns.find(accountId, runId);
    if (run === undefined) throw new NotFoundException(`Test run ${runId} not found`);
    await this.items.get(accountId, runId, itemNo, repetition);
    const [found] = await this.readAcceptable(accountId, runId, [[itemNo, repetition]]);
    if (found === undefined) throw new NotFoundException(`Item ${itemNo} of test run ${runId} not found`);
    if ('refusal' in found) throw found.refusal;
    if (found.source === undefined) {
      throw new ConflictException(
        `Item ${itemNo} is an item of a list, so no later run can identify it. Add it to a dataset, and replay the dataset.`,
      );
    }
    const { name } = (author === undefined && (await this.meta.accounts.find(accountId))) || { name: '' };
    const acceptance = {
      author: author ?? { kind: 'person' as const, name },
      accepted_at: formatTimestamp(this.clock.nowUs()),
      ...(note !== undefined && { note }),
    };
    await this.store(accountId, { id: runId, traceFunctionKey: run.traceFunctionKey }, [found], acceptance);
    return this.items.get(accountId, runId, itemNo, repetition);
  }

  /** Returns why items of a run cannot be accepted: by key, see `ItemKey.join()`. Unknown items are refused, too. */
  async checkAll(accountId: string, runId: string, keys: readonly ItemKey[]): Promise<Map<string, string>> {
    const refused = new Map(
      keys.map(([itemNo, repetition]) => [[itemNo, repetition].join(), 'Item not found']),
    );
    for (let start = 0; start < keys.length; start += ITEMS_AT_ONCE) {
      const found = await this.readAcceptable(accountId, runId, keys.slice(start, start + ITEMS_AT_ONCE));
      for (const one of found) {
        const key = one.key.join();
        if ('refusal' in one) refused.set(key, one.refusal.message);
        else if (one.isUnjudged)
          refused.set(key, 'An evaluator failed, so the item has no outcome. Replay it.');
        else refused.delete(key);
      }
    }
    return refused;
  }

  /** Accepts the outcomes of items that `checkAll` does not refuse. Skips items of a list. */
  async acceptAll(
    accountId: string,
    run: { id: string; traceFunctionKey: string },
    keys: readonly ItemKey[],
    acceptance: Acceptance,
  ): Promise<void> {
    for (let start = 0; start < keys.length; start += ITEMS_AT_ONCE) {
      const found = await this.readAcceptable(accountId, run.id, keys.slice(start, start + ITEMS_AT_ONCE));
      const acceptable = found.filter((one): one is Acceptable => 'outcome' in one);
      await this.store(accountId, run, acceptable, acceptance);
    }
  }

  /**
   * Withdraws the accepted outcome of an item, so the one accepted before it counts again. Runs that have begun keep their baselines.
   *
   * @throws NotFoundException when no outcome of this item is accepted
   */
  async takeBack(accountId: string, runId: string, itemNo: number, repetition: number): Promise<void> {
    if (!(await this.withdraw(accountId, runId, [itemNo, repetition]))) {
      throw new NotFoundException(`Nothing was accepted from item ${itemNo} of test run ${runId}`);
    }
  }

  /** @returns whether an outcome of the item was accepted */
  withdraw(accountId: string, runId: string, key: ItemKey): Promise<boolean> {
    return this.meta.accepted.takeBack(accountId, runId, key, formatTimestamp(this.clock.nowUs()));
  }

  private async store(
    accountId: string,
    run: { id: string; traceFunctionKey: string },
    items: readonly Acceptable[],
    acceptance: Acceptance,
  ): Promise<void> {
    for (const { key, source, outcome } of items) {
      if (source === undefined) continue;
      await this.meta.accepted.add(accountId, {
        traceFunctionKey: run.traceFunctionKey,
        source,
        testRunId: run.id,
        item: key,
        acceptance,
        outcome,
      });
    }
  }

  private async readAcceptable(
    accountId: string,
    runId: string,
    keys: readonly ItemKey[],
  ): Promise<(Acceptable | Refusal)[]> {
    const [items, sources] = await Promise.all([
      this.items.read(accountId, runId, keys),
      this.readSources(accountId, runId, keys),
    ]);
    const refs = items.flatMap((item) => spanRef(item.new_trace_id, item.new_span_id) ?? []);
    const read = refs.length === 0 ? [] : await this.spans.readSpans(accountId, refs);
    const spans = new Map(read.map((span) => [`${span.trace_id}/${span.id}`, span]));
    return items.map((item) => {
      const key: ItemKey = [item.item_no, item.repetition ?? 0];
      const source =
        sources.get(item.item_no) ?? toSourceKey({ ...spanRef(item.source_trace_id, item.source_span_id) });
      try {
        const span = spans.get(`${item.new_trace_id ?? ''}/${item.new_span_id ?? ''}`);
        const isUnjudged =
          item.error_of === 'judgement' || item.error?.code === 'EVALUATION_EVALUATOR_FAILED';
        return {
          key,
          outcome: readOutcome(item, span),
          isUnjudged,
          ...(source !== undefined && { source }),
        };
      } catch (error) {
        if (error instanceof ConflictException) return { key, refusal: error };
        throw error;
      }
    });
  }

  /** The sources in the run's selection, by item number. They have precedence over those that the reporter sent. */
  private async readSources(
    accountId: string,
    runId: string,
    keys: readonly ItemKey[],
  ): Promise<Map<number, string>> {
    const numbers = new Set(keys.map(([itemNo]) => itemNo));
    const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
    const found = new Map<number, string>();
    for (let after: number | undefined = first - 1; after !== undefined;) {
      const range = { limit: Math.min(SELECTED_AT_ONCE, last - after), after };
      const selected = await this.meta.testRuns.listSelected(accountId, runId, { left: false }, range);
      for (const ref of selected) {
        const source = toSourceKey(ref);
        if (source !== undefined && numbers.has(ref.item_no)) found.set(ref.item_no, source);
      }
      const end = selected.at(-1)?.item_no;
      after = end === undefined || end >= last ? undefined : end;
    }
    return found;
  }
}

/** @throws ConflictException when the outcome is missing, or cannot be compared */
function readOutcome(item: TestRunItemRecord, span: SpanRecord | undefined): AcceptedOutcome {
  if (item.erased) {
    throw new ConflictException(
      `Item ${item.item_no} was erased, because its recorded trace or that of its replay was deleted. Replay other calls.`,
    );
  }
  const hasCall = spanRef(item.new_trace_id, item.new_span_id) !== undefined;
  const outcome = span === undefined ? reportedOutcome(item, hasCall) : spanOutcome(item, span);
  // An outcome that is not known to equal itself would make each later verdict `unknown`.
  if (judgeStored(outcome, outcome, { sha256 }).verdict !== 'same') {
    throw new ConflictException(
      `The outcome of item ${item.item_no} was cut, masked or incompletely recorded, so nothing can be compared with it. Raise capture.maxFieldBytes, or record it with captureOutput, and replay it.`,
    );
  }
  return outcome;
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
      `The new call of item ${item.item_no} failed, and its error was not recorded, so nothing can be compared with it. Replay the item.`,
    );
  }
  const notes = pickOutcomeNotes(data.meta);
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
      `The new call of item ${item.item_no} is not stored or has not arrived yet. Try again in a moment, or replay the item.`,
    );
  }
  const notes = pickOutcomeNotes(item.meta);
  return { output: item.result, ...(notes && { meta: notes }) };
}
