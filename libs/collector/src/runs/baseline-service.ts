import { notesOfOutcome } from '@dacapo/evaluation';
import type { BaselineOutcome, ErrorRecord, TestRunItemRecord } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { sourceOf } from '../storage/accepted-outcome-store.js';
import { MetaStore } from '../storage/meta-store.js';
import type { SelectedRef, StoredTestRun } from '../storage/test-run-store.js';

/** Sources that are looked up in one go. */
const SOURCES_AT_ONCE = 1000;

/** An outcome that was accepted and erased since: it is not known, and the recorded one is not expected in its place. */
const ERASED: Pick<BaselineOutcome, 'meta'> = { meta: { output: { replayable: false } } };

/** What the items of a run are compared with, where that is not the recording. */
@Injectable()
export class BaselineService {
  constructor(private readonly meta: MetaStore) {}

  /** What is accepted of these calls now. What is accepted later is for later runs. */
  async withAccepted(
    accountId: string,
    traceFunctionKey: string,
    selected: readonly SelectedRef[],
  ): Promise<SelectedRef[]> {
    const numbers = new Map<string, number>();
    for (let start = 0; start < selected.length; start += SOURCES_AT_ONCE) {
      const sources = selected.slice(start, start + SOURCES_AT_ONCE).flatMap((ref) => sourceOf(ref) ?? []);
      const found = await this.meta.accepted.findInForce(accountId, traceFunctionKey, sources);
      for (const [source, number] of found) numbers.set(source, number);
    }
    return selected.map((ref) => {
      const number = numbers.get(sourceOf(ref) ?? '');
      return { ...ref, ...(number !== undefined && { accepted_no: number }) };
    });
  }

  /** By item number. */
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
    const sources = selected.flatMap((ref) => sourceOf(ref) ?? []);
    const items = await this.meta.testRuns.readItemsBySource(accountId, testRunId, sources);
    return new Map(
      selected.flatMap((ref): [number, BaselineOutcome][] => {
        const item = items.get(sourceOf(ref) ?? '');
        return item === undefined || !isOfCall(item) ? [] : [[ref.item_no, outcomeOf(item)]];
      }),
    );
  }
}

/**
 * Whether what was reported came of the call: an error of who judged it, or why it could not be made, says nothing of how it
 * ends, and what ends well today would seem mended. Before version 0.2 nobody said whose an error is.
 */
function isOfCall({ error, error_of: errorOf, new_span_id: spanId }: TestRunItemRecord): boolean {
  if (error === undefined) return true;
  return errorOf === undefined && spanId !== undefined && !isOfEvaluator(error);
}

function isOfEvaluator({ code, errors = [] }: ErrorRecord): boolean {
  return code === 'EVALUATION_EVALUATOR_FAILED' || (errors.length > 0 && errors.every(isOfEvaluator));
}

function outcomeOf(item: TestRunItemRecord): BaselineOutcome {
  const { result, error, meta, usage, model_calls, duration_ms } = item;
  const notes = notesOfOutcome(meta);
  return {
    ...(result !== undefined && { output: result }),
    ...(error !== undefined && { error }),
    ...(notes && { meta: notes }),
    ...(usage !== undefined && { usage }),
    ...(model_calls !== undefined && { model_calls }),
    ...(duration_ms !== undefined && { duration_ms }),
  };
}
