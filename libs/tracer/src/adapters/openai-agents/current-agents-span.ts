import type { CurrentExternalSpan } from '../../recording/external-spans.js';

/** Where every copy of the package keeps its current span. */
const STORAGE = Symbol.for('openai.agents.core.asyncLocalStorage');

interface AgentsContext {
  readonly active?: boolean;
  readonly trace?: { readonly traceId: string };
  readonly span?: { readonly traceId: string; readonly spanId: string };
}

const globals = globalThis as unknown as Record<
  symbol,
  { getStore(): AgentsContext | undefined } | undefined
>;

/** The Agents span that is open right now, read without the package. */
export const currentAgentsSpan: CurrentExternalSpan = () => {
  const context = globals[STORAGE]?.getStore();
  if (context?.active !== true) return undefined;
  const { span, trace } = context;
  if (span !== undefined) return { traceId: span.traceId, id: span.spanId };
  return trace && { traceId: trace.traceId, id: undefined };
};
