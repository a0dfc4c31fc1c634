import type { Captured } from '../capture/captured.js';

/** Facts about a stream, known at its end. */
export interface StreamNote {
  readonly kind: string;
  readonly items: number;
  readonly timeToFirstItemMs: number | undefined;
  /** Whether all items arrived synchronously during the subscription. */
  readonly isAtOnce?: boolean | undefined;
  /** The return value of a generator. */
  readonly returned?: Captured | undefined;
  /** Whether the output is one answer that was merged from the items. */
  readonly isMerged?: boolean | undefined;
  /** The items of the stream. */
  readonly chunks?: Captured | undefined;
}
