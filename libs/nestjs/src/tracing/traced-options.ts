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
  /** Name of the tracer to use, as in `TracerModule.forRoot({ name })`. */
  tracer: text({
    cure: 'Omit it for the tracer without a name.',
    defaultText: 'the one without a name',
  }),
  /** Returns the session id for the arguments of a call. `undefined` keeps the session of the trace. */
  sessionId: callback<(...args: never[]) => string | undefined>(
    'sessionId: (...args) => …, with the arguments of the method',
  ),
  /**
   * Returns the object with the caller's `traceparent`, such as `(job) => job.data` for a queue. Called only outside open
   * spans. `incoming` decides whether the call continues that trace.
   */
  traceContext: callback<(...args: never[]) => Carrier | undefined>(
    'traceContext: (...args) => …, with the arguments of the method',
  ),
  /** What to do with the trace from `traceContext` or from a job: `link`, `continue`, `ignore`, or a function that decides. */
  incoming: { ...incomingRuleOption(), defaultText: 'that of the module' },
};

/** How the calls of a decorated method are recorded. */
export const TRACED_OPTIONS = { ...SPAN_OPTIONS, ...OWN_OPTIONS };

export type TracedOptions = SpanOptions & GivenOptions<typeof OWN_OPTIONS>;

/** @throws InvalidModuleOptionError */
export function checkTracedOptions(key: string | undefined, options: TracedOptions): void {
  if (key?.trim() === '') {
    throw new InvalidModuleOptionError('key of @Traced', 'is blank', 'Omit it for Class.method.');
  }
  const wrong =
    findUnknownOption(options, Object.keys(TRACED_OPTIONS)) ?? findWrongValue(TRACED_OPTIONS, options);
  if (wrong !== undefined)
    throw new InvalidModuleOptionError(`${wrong.name} of @Traced`, wrong.problem, wrong.cure);
}
