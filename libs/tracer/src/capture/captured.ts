import type { FieldMeta } from '@dacapo/protocol';

/** One value as it is sent. */
export interface Captured {
  /** JSON, always valid, never over the field's limit. */
  readonly json: string;
  /** What the JSON cannot say; `undefined` when it says it all. */
  readonly meta: FieldMeta | undefined;
  /** Whether the value can be made again from these two. */
  readonly replayable: boolean;
}
