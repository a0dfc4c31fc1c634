/** Where LangChain keeps the configuration of what runs, once `@langchain/core/context` or LangGraph is loaded. */
const STORAGE = Symbol.for('ls:tracing_async_local_storage');
const CONFIG = Symbol.for('lc:child_config');

interface RunConfig {
  readonly callbacks?: { getParentRunId?: () => string | undefined };
}

interface RunTree {
  readonly extra?: Record<symbol, RunConfig | undefined>;
}

const globals = globalThis as unknown as Record<symbol, { getStore(): RunTree | undefined } | undefined>;

/** The id of the LangChain run whose code runs right now, read without the package. */
export function currentRunId(): string | undefined {
  const config: RunConfig | undefined = globals[STORAGE]?.getStore()?.extra?.[CONFIG];
  return config?.callbacks?.getParentRunId?.();
}
