import { pickOutcomeNotes } from '@dacapo/evaluation';
import type { BaselineOutcome, ErrorRecord, TestRunItemRecord } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { toSourceKey } from '../storage/meta/accepted-outcomes.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { SelectedRef, StoredTestRun } from '../storage/ports/test-run.js';

const SOURCES_AT_ONCE = 1000;

/** An accepted outcome that was erased since. The recorded one does not replace it, so the verdict is `unknown`. */
const ERASED: Pick<BaselineOutcome, 'meta'> = { meta: { output: { replayable: false } } };

/** Finds the baselines of items that are not compared with the recording. */
@Injectable()
export class BaselineService {
  constructor(private readonly meta: MetaStore) {}

  /** Adds the number of each outcome that is accepted now. Outcomes accepted later count for later runs. */
  async withAccepted(
    accountId: string,
    traceFunctionKey: string,
    selected: readonly SelectedRef[],
  ): Promise<SelectedRef[]> {
    const numbers = new Map<string, number>();
    for (let start = 0; start < selected.length; start += SOURCES_AT_ONCE) {
      const sources = selected.slice(start, start + SOURCES_AT_ONCE).flatMap((ref) => toSourceKey(ref) ?? []);
      const found = await this.meta.accepted.findInForce(accountId, traceFunctionKey, sources);
      for (const [source, number] of found) numbers.set(source, number);
    }
    return selected.map((ref) => {
      const number = numbers.get(toSourceKey(ref) ?? '');
      return { ...ref, ...(number !== undefined && { accepted_no: number }) };
    });
  }

  /** Returns the baselines by item number. */
  async read(
    accountId: string,
    { baseline }: Pick<StoredTestRun, 'baseline'>,
    selected: readonly SelectedRef[],
  ): Promise<Map<number, BaselineOutcome>> {
    if (baseline === 'accepted') return this.readAccepted(accountId, selected);
    return typeof baseline === 'object'
      ? this.readItems(accountId, baseline.test_run_id, selected)
      : new Map<number, BaselineOutcome>();
  }

  private async readAccepted(
    accountId: string,
    selected: readonly SelectedRef[],
  ): Promise<Map<number, BaselineOutcome>> {
    const numbers = selected.flatMap(({ accepted_no: number }) => number ?? []);
    if (numbers.length === 0) return new Map();
    const accepted = await this.meta.accepted.read(accountId, numbers);
    return new Map(
      selected.flatMap(({ item_no, accepted_no = -1 }): [number, BaselineOutcome][] => {
        if (accepted_no === -1) return [];
        return [[item_no, { ...(accepted.get(accepted_no) ?? ERASED), accepted: true }]];
      }),
    );
  }

  private async readItems(
    accountId: string,
    testRunId: string,
    selected: readonly SelectedRef[],
  ): Promise<Map<number, BaselineOutcome>> {
    const sources = selected.flatMap((ref) => toSourceKey(ref) ?? []);
    const items = await this.meta.testRuns.readItemsBySource(accountId, testRunId, sources);
    return new Map(
      selected.flatMap((ref): [number, BaselineOutcome][] => {
        const item = items.get(toSourceKey(ref) ?? '');
        return item === undefined || !isCallOutcome(item) ? [] : [[ref.item_no, reportedOutcome(item)]];
      }),
    );
  }
}

/**
 * Whether the reported outcome is that of the call. Errors of evaluators and of calls that could not be made are not: a call that
 * succeeds today would seem fixed. Reporters before version 0.2 sent no `error_of`.
 */
function isCallOutcome({ error, error_of: errorSource, new_span_id: spanId }: TestRunItemRecord): boolean {
  if (error === undefined) return true;
  return errorSource === undefined && spanId !== undefined && !isEvaluatorError(error);
}

function isEvaluatorError({ code, errors = [] }: ErrorRecord): boolean {
  return code === 'EVALUATION_EVALUATOR_FAILED' || (errors.length > 0 && errors.every(isEvaluatorError));
}

function reportedOutcome(item: TestRunItemRecord): BaselineOutcome {
  const { result, error, meta, usage, model_calls, duration_ms } = item;
  const notes = pickOutcomeNotes(meta);
  return {
    ...(result !== undefined && { output: result }),
    ...(error !== undefined && { error }),
    ...(notes && { meta: notes }),
    ...(usage !== undefined && { usage }),
    ...(model_calls !== undefined && { model_calls }),
    ...(duration_ms !== undefined && { duration_ms }),
  };
}
