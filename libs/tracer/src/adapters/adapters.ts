import type { TracerLogger } from '../diagnostics/logger.js';
import type { ActiveSpan } from '../recording/active-span.js';
import type { Recorder } from '../recording/recorder.js';
import type { AnyFunction } from '../recording/span-definition.js';
import type { AiSdkTelemetry } from './ai-sdk/ai-sdk-types.js';
import { createTelemetry } from './ai-sdk/late-telemetry.js';
import { wrapFrameworkMethod } from './baml/wrap-framework.js';
import type { PendingRequest } from './langchain/langchain-runs.js';
import type { LangChainHandler } from './langchain/langchain-types.js';
import { LateHandler } from './langchain/late-handler.js';
import type { AgentsTracingProcessor } from './openai-agents/agents-types.js';
import { createProcessor } from './openai-agents/late-processor.js';

export interface AdapterParts {
  /** Absent while tracing is off. */
  readonly recorder: Recorder | undefined;
  readonly logger: TracerLogger;
  readonly frameworkClient: unknown;
  readonly flush: () => Promise<unknown>;
}

/** The adapters of one tracer, each created when it is first used. None loads the package that it is for. */
export class Adapters {
  private agents: AgentsTracingProcessor | undefined;
  private langChain: LateHandler | undefined;
  private aiSdk: AiSdkTelemetry | undefined;

  constructor(private readonly parts: AdapterParts) {}

  /** @throws InvalidOptionError when `method` is not a function. */
  wrapFramework<F extends AnyFunction>(...args: [F] | [unknown, F]): F {
    const [client, method] = args.length === 1 ? [this.parts.frameworkClient, args[0]] : args;
    return wrapFrameworkMethod(client, method, this.parts.logger);
  }

  agentsProcessor(): AgentsTracingProcessor {
    return (this.agents ??= createProcessor(this.parts.recorder, this.parts.flush));
  }

  aiSdkTelemetry(): AiSdkTelemetry {
    return (this.aiSdk ??= createTelemetry(this.parts.recorder));
  }

  /** The open span of a LangChain run that the handler records. */
  readonly openLangChainRun = (runId: string): ActiveSpan | undefined =>
    this.langChain?.recording?.openRun(runId);

  /** The open run of a LangChain model that a request of a wrapped client belongs to. */
  readonly findLangChainRun = (pending: PendingRequest): ActiveSpan | undefined =>
    this.langChain?.recording?.findModelRun(pending);

  langChainHandler(): LangChainHandler {
    return (this.langChain ??= new LateHandler(this.parts.recorder)).handler;
  }
}
