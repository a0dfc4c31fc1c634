import type { Carrier, SpanOptions } from '@dacapo/tracer';
import {
  callback,
  findUnknownOption,
  findWrongValue,
  type GivenOptions,
  incomingRuleOption,
  SPAN_OPTIONS,
  text,
} from '@dacapo/tracer/internal';
import { InvalidModuleOptionError } from '../errors.js';

const OWN_OPTIONS = {
  /** The tracer of that name, from `TracerModule.forRoot({ name })`. */
  tracer: text({
    cure: 'Leave it out for the tracer without a name.',
    defaultText: 'the one without a name',
  }),
  /** The session that a call belongs to, from its arguments; `undefined` leaves the trace's session as it is. */
  sessionId: callback<(...args: never[]) => string | undefined>(
    'sessionId: (...args) => …, with the arguments of the method',
  ),
  /**
   * What carries the caller's trace, from the arguments: `(job) => job.data` for a queue. Asked outside any open span only.
   * Whether the call continues that trace says `incoming`.
   */
  traceContext: callback<(...args: never[]) => Carrier | undefined>(
    'traceContext: (...args) => …, with the arguments of the method',
  ),
  /** What becomes of the trace that `traceContext` returns, or that a job brings: `link`, `continue`, `ignore`, or a function of it. */
  incoming: { ...incomingRuleOption(), defaultText: 'that of the module' },
};

/** How the calls of a decorated method are recorded. */
export const TRACED_OPTIONS = { ...SPAN_OPTIONS, ...OWN_OPTIONS };

export type TracedOptions = SpanOptions & GivenOptions<typeof OWN_OPTIONS>;

/** @throws InvalidModuleOptionError */
export function checkTracedOptions(key: string | undefined, options: TracedOptions): void {
  if (key?.trim() === '') {
    throw new InvalidModuleOptionError('key of @Traced', 'is blank', 'Leave it out for Class.method.');
  }
  const wrong =
    findUnknownOption(options, Object.keys(TRACED_OPTIONS)) ?? findWrongValue(TRACED_OPTIONS, options);
  if (wrong !== undefined)
    throw new InvalidModuleOptionError(`${wrong.name} of @Traced`, wrong.problem, wrong.cure);
}
