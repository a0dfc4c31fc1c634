/** What is read of `@langchain/core` (0.3 and 1), by shape: the package is never imported. */
export interface LangChainSerialized {
  readonly id?: readonly string[];
  readonly name?: string;
}

export interface LangChainMessage {
  readonly content?: unknown;
  readonly usage_metadata?: object | undefined;
  readonly response_metadata?: object | undefined;
  getType?(): string;
  _getType?(): string;
}

export interface LangChainResult {
  readonly generations?: readonly (readonly {
    readonly text?: string;
    readonly message?: LangChainMessage;
    readonly generationInfo?: Readonly<Record<string, unknown>>;
  }[])[];
  readonly llmOutput?: Readonly<Record<string, unknown>>;
}

type Metadata = Readonly<Record<string, unknown>> | undefined;
type Parent = string | undefined;

/**
 * A callback handler as LangChain takes it in `callbacks`. `awaitHandlers` keeps events in their order and in the
 * caller's context; each returns at once.
 */
export interface LangChainHandler {
  readonly name: string;
  readonly awaitHandlers: true;
  readonly raiseError: false;
  readonly ignoreLLM: false;
  readonly ignoreChain: false;
  readonly ignoreAgent: false;
  readonly ignoreRetriever: false;
  readonly ignoreCustomEvent: true;
  copy(): LangChainHandler;
  handleLLMStart(
    llm: LangChainSerialized,
    prompts: readonly string[],
    runId: string,
    parentRunId?: Parent,
    extra?: Metadata,
    tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): void;
  handleChatModelStart(
    llm: LangChainSerialized,
    messages: readonly (readonly LangChainMessage[])[],
    runId: string,
    parentRunId?: Parent,
    extra?: Metadata,
    tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): void;
  handleLLMNewToken(token: string, index: unknown, runId: string): void;
  handleLLMEnd(result: LangChainResult, runId: string): void;
  handleLLMError(error: unknown, runId: string): void;
  handleChainStart(
    chain: LangChainSerialized,
    inputs: unknown,
    runId: string,
    parentRunId?: Parent,
    tags?: readonly string[],
    metadata?: Metadata,
    runType?: string,
    runName?: string,
  ): void;
  handleChainEnd(outputs: unknown, runId: string): void;
  handleChainError(error: unknown, runId: string): void;
  handleToolStart(
    tool: LangChainSerialized,
    input: string,
    runId: string,
    parentRunId?: Parent,
    tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): void;
  handleToolEnd(output: unknown, runId: string): void;
  handleToolError(error: unknown, runId: string): void;
  handleRetrieverStart(
    retriever: LangChainSerialized,
    query: string,
    runId: string,
    parentRunId?: Parent,
    tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): void;
  handleRetrieverEnd(documents: unknown, runId: string): void;
  handleRetrieverError(error: unknown, runId: string): void;
}
