import type { LateEvents } from '../late-recorder.js';

/** Structural types for the parts of `@langchain/core` (0.3 and 1) that the adapter reads. The package is never imported. */
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

export const LANGCHAIN_EVENTS = [
  'handleLLMStart',
  'handleChatModelStart',
  'handleLLMNewToken',
  'handleLLMEnd',
  'handleLLMError',
  'handleChainStart',
  'handleChainEnd',
  'handleChainError',
  'handleToolStart',
  'handleToolEnd',
  'handleToolError',
  'handleRetrieverStart',
  'handleRetrieverEnd',
  'handleRetrieverError',
] as const;

/**
 * A callback handler as LangChain takes it in `callbacks`. `awaitHandlers` keeps events in their order and in the
 * caller's context. The first one waits while its recorder is loaded.
 */
export interface LangChainHandler extends LateEvents<(typeof LANGCHAIN_EVENTS)[number]> {
  readonly name: string;
  readonly awaitHandlers: true;
  readonly raiseError: false;
  readonly ignoreLLM: false;
  readonly ignoreChain: false;
  readonly ignoreAgent: false;
  readonly ignoreRetriever: false;
  readonly ignoreCustomEvent: true;
  copy(): LangChainHandler;
}
