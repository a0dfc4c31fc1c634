import type { OtlpArguments, OtlpCall } from '../replay-types.js';
import { InvalidOptionError } from '../errors.js';
import { callback, option, type ResolvedOptions } from './option.js';
import { type ExecutionOptions, RUN_OPTIONS, type UntypedRunOptions } from './run-options.js';
import { SELECTION_OPTIONS, type SelectionOptions } from './selection-options.js';

/** Options of a replay of stored calls. */
export const REPLAY_OPTIONS = {
  ...SELECTION_OPTIONS,
  ...RUN_OPTIONS,
  /** `'otlp'` also replays spans with the key that arrived by OTLP. Requires `args`. */
  from: option<'otlp'>({
    takes: '"otlp"',
    accepts: (value): value is 'otlp' => value === 'otlp',
    cure: 'Omit it to replay only calls that a tracer recorded.',
  }),
  /** Makes the arguments of a span that arrived by OTLP. `adaptArgs` then applies to them. Requires `from`. */
  args: callback<OtlpArguments>('args: ({ input }) => [input]'),
};

/** @throws InvalidOptionError when only one of `from` and `args` is set */
export function checkOtlpOptions({ from, args }: Pick<ResolvedReplayOptions, 'from' | 'args'>): void {
  if ((from === undefined) === (args === undefined)) return;
  const [set, missing] = from === undefined ? ['args', 'from'] : ['from', 'args'];
  throw new InvalidOptionError(
    `replay.${set}`,
    `requires ${missing}`,
    "Write it like { from: 'otlp', args: ({ input }) => [input] }.",
  );
}

interface OtlpOptions<A extends readonly unknown[]> {
  /** `'otlp'` also replays spans with the key that arrived by OTLP. Requires `args`. */
  from?: 'otlp' | undefined;
  /** Makes the arguments of a span that arrived by OTLP. `adaptArgs` then applies to them. Requires `from`. */
  args?: ((span: OtlpCall) => A) | undefined;
}

/** Options of a replay of stored calls, independent of the function. */
export interface ReplayOptions extends UntypedRunOptions, SelectionOptions, OtlpOptions<readonly unknown[]> {}

/**
 * How stored calls are selected and replayed, typed by the function.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it returns: a promise's value, or the list of a stream's items
 */
export interface RunOptions<A extends unknown[] = unknown[], R = unknown>
  extends ExecutionOptions<A, R>, SelectionOptions, OtlpOptions<readonly unknown[]> {}

export type ResolvedReplayOptions = ResolvedOptions<typeof REPLAY_OPTIONS>;
