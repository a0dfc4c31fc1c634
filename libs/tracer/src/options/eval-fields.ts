import { EVALUATE_OPTIONS } from './evaluate-options.js';

/** Options of `tracer.evaluate` that `dacapo eval` sets itself. */
export const SET_BY_THE_COMMAND = ['onStart', 'onItem', 'keep', 'signal', 'resume'] as const;

/** What an eval file may define. A file of its own: an application that only records never loads these tables. */
export const EVAL_FIELDS: readonly string[] = [
  'function',
  'variants',
  ...Object.keys(EVALUATE_OPTIONS).filter((name) => !SET_BY_THE_COMMAND.some((own) => own === name)),
];
