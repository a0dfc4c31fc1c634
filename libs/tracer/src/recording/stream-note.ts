import type { Captured } from '../capture/captured.js';

/** What a stream gave until it ended. */
export interface StreamNote {
  readonly kind: string;
  readonly items: number;
  readonly timeToFirstItemMs: number | undefined;
  /** All of it came at once, while it was subscribed to. */
  readonly isAtOnce?: boolean | undefined;
  /** What a generator returned. */
  readonly returned?: Captured | undefined;
  /** The output is the one answer that the items come to. */
  readonly isMerged?: boolean | undefined;
  /** The items beside it. */
  readonly chunks?: Captured | undefined;
}
