import type { ExecutionOptions, ReplayResult } from '@dacapo/tracer';
import type { ReplayData } from './run-words.js';

/** The function to replay, as named on the command line. */
export interface ReplayTarget {
  readonly key?: string | undefined;
  /** `Class.method` of a Nest application. */
  readonly method?: string | undefined;
  readonly exportName?: string | undefined;
}

/** Code of an application that stored calls can be replayed through. */
export interface Replayable {
  /** Such as `ClassifierService.classify`. */
  readonly what: string;
  /** Background work that the application skips here, such as `Reports.daily (schedules)`. */
  readonly leftOut: readonly string[];
  /** @throws EntryExportError when stored calls are replayed without a key */
  replay(data: ReplayData, options: ExecutionOptions): Promise<ReplayResult>;
  /** Sends pending records and stops the application. */
  close(): Promise<void>;
}
