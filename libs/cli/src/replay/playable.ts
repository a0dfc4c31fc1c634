import type { ReplayResult, RunOptions } from '@dacapo/tracer';

/** What the command line says of what is played. At least one of `key` and `method` is there, or an export that has a key. */
export interface PlayTarget {
  readonly key?: string | undefined;
  /** `Class.method` of a Nest application. */
  readonly method?: string | undefined;
  readonly exportName?: string | undefined;
}

/** Something of an application that stored calls can be played through. */
export interface Playable {
  /** Such as `ClassifierService.classify`. */
  readonly what: string;
  /** What the application does by itself in production and does not do here; `Reports.daily (schedules)`. */
  readonly leftOut: readonly string[];
  play(options: RunOptions): Promise<ReplayResult>;
  /** Sends what waits, and ends what was started. */
  close(): Promise<void>;
}
