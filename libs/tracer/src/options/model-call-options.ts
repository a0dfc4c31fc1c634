import { LIMITS } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import { resolveOptions } from './check-options.js';
import { flag, type GivenOptions, isRecord, option, text } from './option.js';

const DEFAULT_CURE = 'Omit it for what the tracer records.';

/** What to record of model requests. Can only record less than the tracer's `capture`. */
export const MODEL_CAPTURE_OPTIONS = {
  /** `false` records no messages, settings and tools. The call cannot answer a mock. */
  input: flag(undefined, DEFAULT_CURE),
  /** `false` records no answer. The call cannot answer a mock. */
  output: flag(undefined, DEFAULT_CURE),
  /** `false` records a streamed answer without its chunks. The call cannot answer a mock. */
  chunks: flag(undefined, DEFAULT_CURE),
};

export type ModelCaptureOptions = GivenOptions<typeof MODEL_CAPTURE_OPTIONS>;

/** How model requests are recorded: those of one wrapped client, or those that a function makes. */
export const MODEL_CALL_OPTIONS = {
  /** Name of the spans. */
  name: text({ cure: 'Omit it for the key.', defaultText: 'the key of the method' }),
  /** Provider, as the price list names it. For a proxy whose address names no provider. */
  provider: text({ cure: "Write it like 'azure'.", defaultText: 'by the address' }),
  /** Recorded on each span as one of its contexts. */
  metadata: option<Readonly<Record<string, unknown>>>({
    takes: 'an object',
    accepts: (value): value is Readonly<Record<string, unknown>> => isRecord(value) && !Array.isArray(value),
    cure: "Write it like { feature: 'summary' }.",
  }),
  /** Tags of the trace. */
  tags: option<readonly string[]>({
    takes: `a list of strings, each of 1 to ${LIMITS.tagLength} characters`,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) &&
      value.every((tag) => typeof tag === 'string' && tag.trim() !== '' && tag.length <= LIMITS.tagLength),
    cure: "Write it like ['summary'].",
  }),
  /** Session of the trace. The session of a client applies only if the trace has none; that of `withCallOptions` always applies. */
  session: text({ cure: 'Pass the id of a conversation.' }),
  /** What to record of the request and its answer. */
  capture: option<ModelCaptureOptions>({
    takes: 'an object',
    defaultText: 'see below',
    accepts: (value): value is ModelCaptureOptions => isRecord(value),
    cure: 'Write it like { output: false }.',
  }),
};

export type ModelCallOptions = GivenOptions<typeof MODEL_CALL_OPTIONS>;

/** @throws InvalidOptionError naming the first invalid option */
export function resolveModelCallOptions(callOptions: ModelCallOptions): ModelCallOptions {
  if (!isRecord(callOptions))
    throw new InvalidOptionError('options', 'must be an object', 'Omit them for the defaults.');
  const options = resolveOptions('', MODEL_CALL_OPTIONS, callOptions);
  const capture = options.capture && resolveOptions('capture.', MODEL_CAPTURE_OPTIONS, options.capture);
  return { ...options, capture };
}
