import type { ItemKey } from './test-run.js';

/** What remains of an erased copy, so that its test run stays complete. */
export interface RunItemRef {
  testRunId: string;
  item: ItemKey;
}

/** Selects items of test runs: by the traces that they replayed or made, or by the age of their runs. */
export type RunItemsOf =
  | {
      traceIds: readonly string[];
      /** Also items that replayed a dataset item, which may outlive its trace. */
      withDatasets: boolean;
    }
  | { runs: OldRuns };

/** Test runs that were created before a time. */
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
