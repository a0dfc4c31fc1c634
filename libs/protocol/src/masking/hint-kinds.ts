/**
 * Which patterns a hint calls for. Those of no kind need a word of their own, and are tried at each.
 * `label`: a name of several words. `list`: a name before a list or an object.
 */
export const HINTS = {
  name: 1,
  label: 2,
  list: 4,
  foreign: 8,
  token: 16,
  number: 32,
  block: 64,
  other: 128,
} as const;

/** Hints at names: most names do not belong to secrets. */
export const NAME_HINTS = HINTS.name | HINTS.label | HINTS.list | HINTS.foreign;
