import { isRecord, type Option, option } from './option.js';

/** Carries a trace position between processes: headers, or a message. */
export type Carrier = Readonly<Record<string, unknown>>;

/**
 * What to do with an incoming `traceparent`.
 *
 * - `link`: the work starts its own trace, sampled by the tracer's `sampleRate`, with the caller's span in `links`.
 * - `continue`: the work joins the caller's trace, and is recorded if the caller's trace is. For callers that you trust.
 * - `ignore`: the work starts its own trace, without a link.
 */
export type IncomingMode = 'link' | 'continue' | 'ignore';

/**
 * One mode for all, or a function of the headers, which are frozen and have lower-case names. It is called only for a valid
 * `traceparent`. If it throws or returns another value, the trace is linked, with one warning.
 */
export type IncomingRule = IncomingMode | ((headers: Carrier) => IncomingMode);

/**
 * How work arrives. `http`: requests, including GraphQL. `queues`: jobs of BullMQ. `rpc`: messages of microservices and WebSockets.
 */
export type IncomingTransport = 'http' | 'queues' | 'rpc';

/** One rule for all, or one per transport. */
export type IncomingOption =
  IncomingRule | { readonly [Transport in IncomingTransport]?: IncomingRule | undefined };

const MODES: readonly unknown[] = ['link', 'continue', 'ignore'] satisfies IncomingMode[];
const TRANSPORTS: readonly string[] = ['http', 'queues', 'rpc'] satisfies IncomingTransport[];

export function isIncomingMode(value: unknown): value is IncomingMode {
  return MODES.includes(value);
}

/** The option of a tracer. */
export function incomingOption(): Option<IncomingOption> {
  return option<IncomingOption>({
    takes: "'link', 'continue', 'ignore', a function, or an object of these by http, queues and rpc",
    defaultText: "`'link'`",
    accepts: (value): value is IncomingOption => isRule(value) || describeWrongTransport(value) === undefined,
    problem: (value) => (isRecord(value) || Array.isArray(value) ? describeWrongTransport(value) : undefined),
    cure: "Write incoming: 'link', 'continue' or 'ignore', a function of the headers, or { http, queues, rpc } with these.",
  });
}

/** The option of one call or method, which has one transport. */
export function incomingRuleOption(): Option<IncomingRule> {
  return option<IncomingRule>({
    takes: "'link', 'continue', 'ignore' or a function",
    defaultText: 'that of the tracer',
    accepts: isRule,
    cure: "Write incoming: 'continue' if you trust the sender, or omit it.",
  });
}

/** Returns the option's rule for a transport; `undefined` if it has none. Without a transport, only a rule for all of them counts. */
export function ruleFor(
  incoming: IncomingOption | undefined,
  transport: IncomingTransport | undefined,
): IncomingRule | undefined {
  if (typeof incoming !== 'object') return incoming;
  return transport === undefined ? undefined : incoming[transport];
}

function isRule(value: unknown): value is IncomingRule {
  return isIncomingMode(value) || typeof value === 'function';
}

/** Follows the option's name in a sentence. */
function describeWrongTransport(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'must be a mode, a function or an object, not an array';
  if (!isRecord(value)) return 'must be a mode, a function or an object';
  for (const [transport, rule] of Object.entries(value)) {
    if (!TRANSPORTS.includes(transport))
      return `must be an object of ${TRANSPORTS.join(', ')}, and its ${transport} is unknown`;
    if (rule !== undefined && !isRule(rule)) {
      return `must be an object of modes and functions, and its ${transport} is ${typeof rule === 'string' ? JSON.stringify(rule) : typeof rule}`;
    }
  }
  return undefined;
}
