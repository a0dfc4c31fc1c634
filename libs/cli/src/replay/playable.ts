import type { PlayOptions, ReplayResult } from '@dacapo/tracer';
import type { PlayedData } from './run-words.js';

/** What the command line says of what plays. */
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
  /** @throws EntryExportError when stored calls are to be played, and nothing says of which key */
  play(data: PlayedData, options: PlayOptions): Promise<ReplayResult>;
  /** Sends what waits, and ends what was started. */
  close(): Promise<void>;
}
