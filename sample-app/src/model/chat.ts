import type { z } from 'zod';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

/** A tool, as described to the model. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Record<string, unknown>;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly temperature?: number;
  readonly tools?: readonly ToolDescription[];
  /** The answer is JSON of this schema. */
  readonly answerSchema?: { readonly name: string; readonly schema: z.ZodType };
}

export interface ChatReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}
