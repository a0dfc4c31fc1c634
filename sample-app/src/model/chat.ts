import type { z } from 'zod';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Unparsed JSON from the model. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

/** Description of a tool for the model. */
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
  /** Requires a JSON answer with this schema. */
  readonly answerSchema?: { readonly name: string; readonly schema: z.ZodType };
}

export interface ChatReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}
