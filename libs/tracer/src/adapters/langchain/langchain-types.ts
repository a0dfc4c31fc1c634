/** What is read of `@langchain/core` (0.3 and 1), by shape: the package is never imported. */
export interface LangChainSerialized {
  readonly id?: readonly string[];
  readonly name?: string;
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

export interface LangChainMessage {
  readonly type?: string;
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
 * caller's context. The first one waits while its recorder is loaded.
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
  ): Promise<void> | undefined;
  handleChatModelStart(
    llm: LangChainSerialized,
    messages: readonly (readonly LangChainMessage[])[],
    runId: string,
    parentRunId?: Parent,
    extra?: Metadata,
    tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): Promise<void> | undefined;
  handleLLMNewToken(token: string, index: unknown, runId: string): Promise<void> | undefined;
  handleLLMEnd(result: LangChainResult, runId: string): Promise<void> | undefined;
  handleLLMError(error: unknown, runId: string): Promise<void> | undefined;
  handleChainStart(
    chain: LangChainSerialized,
    inputs: unknown,
    runId: string,
    parentRunId?: Parent,
    tags?: readonly string[],
    metadata?: Metadata,
    runType?: string,
    runName?: string,
  ): Promise<void> | undefined;
  handleChainEnd(outputs: unknown, runId: string): Promise<void> | undefined;
  handleChainError(error: unknown, runId: string): Promise<void> | undefined;
  handleToolStart(
    tool: LangChainSerialized,
    input: string,
    runId: string,
    parentRunId?: Parent,
    tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): Promise<void> | undefined;
  handleToolEnd(output: unknown, runId: string): Promise<void> | undefined;
  handleToolError(error: unknown, runId: string): Promise<void> | undefined;
  handleRetrieverStart(
    retriever: LangChainSerialized,
    query: string,
    runId: string,
    parentRunId?: Parent,
    tags?: readonly string[],
    metadata?: Metadata,
    runName?: string,
  ): Promise<void> | undefined;
  handleRetrieverEnd(documents: unknown, runId: string): Promise<void> | undefined;
  handleRetrieverError(error: unknown, runId: string): Promise<void> | undefined;
}
