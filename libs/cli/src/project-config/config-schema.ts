import { SPAN_TYPES } from '@dacapo/protocol';
import {
  amount,
  filled,
  label,
  list,
  matching,
  maybe,
  object,
  type Schema,
  set,
  text,
} from '@dacapo/protocol/api';
import { isInside } from './inside-folder.js';

const MOST_ENTRIES = 1_000;
const LONGEST_ARGUMENT = 10_000;

const path = (): Schema<string> =>
  matching(
    (value) => value.trim() !== '' && isInside(value),
    'a path inside the project, relative to this file, such as dist/support.js',
  );

/** A program with its arguments. No shell reads them. */
const command = (): Schema<string[]> => filled(text(LONGEST_ARGUMENT), MOST_ENTRIES);

const liveWord = (): Schema<string> =>
  matching(
    (value) => SPAN_TYPES.some((type) => type === value) || /^key=.*\S/s.test(value),
    `a span type (${SPAN_TYPES.join(', ')}), or key= and a trace function key`,
  );

/** What a person writes into `dacapo.config.json`. Unknown fields are refused: a misspelt limit would limit nothing. */
export const CONFIG_SCHEMA = object({
  replay: maybe(
    object({
      module: path(),
      export: maybe(label()),
      node: maybe(list(text(LONGEST_ARGUMENT), MOST_ENTRIES)),
      sources: maybe(set(path(), MOST_ENTRIES)),
      keys: set(label(), MOST_ENTRIES),
      live: maybe(set(liveWord(), MOST_ENTRIES)),
      maxUsd: maybe(amount()),
    }),
  ),
  test: maybe(object({ command: command(), cassettes: maybe(path()) })),
  prepare: maybe(list(command(), MOST_ENTRIES)),
});
