export interface ReplyToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Either text or tool calls. */
export interface Reply {
  readonly text: string;
  readonly toolCalls: readonly ReplyToolCall[];
}
