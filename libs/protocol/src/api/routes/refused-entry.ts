import type * as v from 'valibot';
import { about, object, string, whole } from '../schema/kinds.js';

/** A rejected entry of a list. It does not affect the others. */
export const REFUSED_ENTRY = object({
  index: about('Its index in the list, from 0.', whole()),
  detail: string(),
});

export type RefusedEntry = v.InferOutput<typeof REFUSED_ENTRY>;
