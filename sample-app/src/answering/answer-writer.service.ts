import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import type { ChatMessage, ChatReply, ToolDescription } from '../model/chat.js';
import { ChatClient } from '../model/chat-client.js';

/** One turn of the model: it either calls tools or writes the answer. */
@Injectable()
export class AnswerWriterService {
  constructor(private readonly chat: ChatClient) {}

  @Traced('write-answer', { type: 'llm' })
  write(messages: readonly ChatMessage[], tools: readonly ToolDescription[]): Promise<ChatReply> {
    return this.chat.complete({ messages, tools, temperature: 0.2 });
  }
}
