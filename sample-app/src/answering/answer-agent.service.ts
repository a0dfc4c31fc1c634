import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import type { Classification } from '../classification/classification.js';
import type { Facts } from '../extraction/baml_client/types.js';
import type { ChatMessage } from '../model/chat.js';
import { AnswerWriterService } from './answer-writer.service.js';
import { ToolboxService } from './toolbox.service.js';

const INSTRUCTIONS = `You answer for the support desk of Lumen, connected lamps.
Look things up with the tools; say nothing that they do not say. Greet the customer by name.
Write at most 3 sentences. Sign as Lumen support.`;

const TURNS = 4;

export interface Question {
  readonly customer: string;
  readonly message: string;
  readonly classification: Classification;
  readonly facts: Facts;
}

/** Answers a message: the model calls tools until it can write the answer. */
@Injectable()
export class AnswerAgentService {
  constructor(
    private readonly writer: AnswerWriterService,
    private readonly toolbox: ToolboxService,
  ) {}

  /** Returns an empty text if the model has no answer after the last turn. */
  @Traced('answer-ticket', { type: 'agent' })
  async answer({ customer, message, classification, facts }: Question): Promise<string> {
    const tools = await this.toolbox.tools();
    const descriptions = tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    const messages: ChatMessage[] = [
      { role: 'system', content: INSTRUCTIONS },
      {
        role: 'user',
        content: `Customer: ${customer}\nAbout: ${classification.category}, ${facts.wish}\n\n${message}`,
      },
    ];
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const { text, toolCalls } = await this.writer.write(messages, descriptions);
      if (toolCalls.length === 0) return text;
      const results = await Promise.all(toolCalls.map((call) => this.toolbox.run(tools, call)));
      messages.push({ role: 'assistant', content: text, toolCalls }, ...results);
    }
    return '';
  }
}
