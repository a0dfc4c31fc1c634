import type { Carrier, SpanOptions } from '@dacapo/tracer';
import { findUnknownOption, findWrongSpanOption, SPAN_OPTION_NAMES } from '@dacapo/tracer/internal';
import { InvalidModuleOptionError } from '../errors.js';

/** How the calls of a decorated method are recorded. */
export interface TracedOptions extends SpanOptions {
  /** The tracer of that name, from `TracerModule.forRoot({ name })`. Default: the one without a name. */
  tracer?: string | undefined;
  /** The session that a call belongs to, from its arguments; `undefined` leaves the trace's session as it is. */
  sessionId?: ((...args: never[]) => string | undefined) | undefined;
  /**
   * What carries the trace that a call continues, from its arguments: `(job) => job.data` for a queue. Asked outside any
   * open span only.
   */
  traceContext?: ((...args: never[]) => Carrier | undefined) | undefined;
}

const OWN = {
  tracer: true,
  sessionId: true,
  traceContext: true,
} satisfies Record<Exclude<keyof TracedOptions, keyof SpanOptions>, true>;

const NAMES = [...SPAN_OPTION_NAMES, ...Object.keys(OWN)];

/** @throws InvalidModuleOptionError */
export function checkTracedOptions(key: string | undefined, options: TracedOptions): void {
  if (key?.trim() === '') {
    throw new InvalidModuleOptionError('key of @Traced', 'is blank', 'Leave it out for Class.method.');
  }
  const unknown = findUnknownOption(options, NAMES);
  if (unknown !== undefined)
    throw new InvalidModuleOptionError(`${unknown.name} of @Traced`, 'is unknown', unknown.cure);
  const wrong = findWrongSpanOption(options);
  if (wrong !== undefined)
    throw new InvalidModuleOptionError(`${wrong.name} of @Traced`, wrong.problem, wrong.cure);
  for (const hook of ['sessionId', 'traceContext'] as const) {
    if (options[hook] !== undefined && typeof options[hook] !== 'function') {
      throw new InvalidModuleOptionError(
        `${hook} of @Traced`,
        `must be a function, not ${typeof options[hook]}`,
        `Write it like ${hook}: (...args) => …, with the arguments of the method.`,
      );
    }
  }
}
