import type { ItemKey } from './test-run.js';

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
