import { isRecord, type Option, option } from './option.js';

/** What carries a position in a trace between processes: headers, or a message. */
export type Carrier = Readonly<Record<string, unknown>>;

/**
 * What becomes of a `traceparent` that comes in.
 *
 * - `link`: the work starts a trace of its own, sampled by the `sampleRate` of its tracer, which names the caller's span in `links`.
 * - `continue`: the work joins the caller's trace, and is recorded if the caller's trace is. For callers that you trust.
 * - `ignore`: the work starts a trace of its own, without a link.
 */
export type IncomingMode = 'link' | 'continue' | 'ignore';

/**
 * One mode for all, or a function of the headers: frozen, their names in lower case. It is asked only if they hold a valid
 * `traceparent`. One that throws, or returns another value, links, with one warning.
 */
export type IncomingRule = IncomingMode | ((headers: Carrier) => IncomingMode);

/**
 * What work comes in by. `http`: requests, GraphQL's too. `queues`: jobs of BullMQ. `rpc`: messages of microservices and
 * WebSockets.
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
    cure: "Write incoming: 'link', 'continue' or 'ignore', a function of the headers, or { http, queues, rpc } of these.",
  });
}

/** The option of one call or method, which has one transport. */
export function incomingRuleOption(): Option<IncomingRule> {
  return option<IncomingRule>({
    takes: "'link', 'continue', 'ignore' or a function",
    defaultText: 'that of the tracer',
    accepts: isRule,
    cure: "Write incoming: 'continue' where you trust who sends it, or leave it out.",
  });
}

/** The rule that an option has for a transport; `undefined` if it has none. Without a transport, only one that is for all. */
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

/** As it follows the option's name in a sentence. */
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
