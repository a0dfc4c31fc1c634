import type { DeletionCounts } from '@dacapo/protocol';
import type { TraceGroup } from './trace-deletion.js';
import type { ItemKey } from './test-run-store.js';

/** What is kept of a copy that was erased, so that what it is part of stays whole. */
export interface RunItemRef {
  testRunId: string;
  item: ItemKey;
}

/** Items of test runs: by the traces that they played or made, or by the age of their runs. */
export type RunItemsOf =
  | {
      traceIds: readonly string[];
      /** Those that played an item of a dataset, too, which may outlive its trace. */
      withDatasets: boolean;
    }
  | { runs: OldRuns };

/** Test runs that were made before a time. */
export interface OldRuns {
  before: string;
  traceFunctionKey?: string;
  exceptKeys?: readonly string[];
}

export interface ErasedCopies {
  datasetItems: number;
  acceptedOutcomes: number;
  isDone: boolean;
}

/**
 * What the store of everything else has of traces. What is erased stays as a thing without content, where a version or a run must
 * stay whole. Every method sees one account's data alone, and does a part: again until it is done.
 */
export interface CopyStore {
  /**
   * Erases items of datasets that were copied from these traces, or from items of runs that made them, and takes away the outcomes
   * that were accepted of them. Copies that are made of the traces from now on, until `forgetAt`, are skipped or erased.
   */
  eraseCopies(
    accountId: string,
    traceIds: readonly string[],
    part: { forgetAt: string; most: number; deletionId?: string },
  ): Promise<ErasedCopies>;
  /** Traces that test runs made when they played these. In any order. */
  listReplays(accountId: string, traceIds: readonly string[]): Promise<string[]>;
  /** Those that are not erased. In any order. */
  listRunItems(accountId: string, of: RunItemsOf, most: number): Promise<RunItemRef[]>;
  /** Leaves number, verdict, flags and durations. @returns how many */
  eraseRunItems(accountId: string, items: readonly RunItemRef[], deletionId?: string): Promise<number>;
  /** What was erased under this id: exact, whatever process died in the middle. */
  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>>;
  /**
   * Forgets which of these traces test runs selected, and by which session, name, metadata and text; `withDatasets` as above.
   *
   * @returns whether it is done
   */
  eraseSelected(
    accountId: string,
    traceIds: readonly string[],
    part: { withDatasets: boolean; most: number },
  ): Promise<boolean>;
  /** Has these runs, none of whose items is left to erase, not be looked at again, and forgets by what they selected calls. */
  closeRuns(accountId: string, runs: OldRuns): Promise<void>;
  /** Forgets that runs selected calls by this session or user. */
  eraseGroup(accountId: string, group: TraceGroup): Promise<void>;
}
