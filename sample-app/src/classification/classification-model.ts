import { Injectable } from '@nestjs/common';
import { ChatClient } from '../model/chat-client.js';
import { ModelCallFailedException } from '../model/errors.js';
import { type Classification, classificationSchema } from './classification.js';

/** Requests a classification from the model. Each version of the classifier has its own instructions. */
@Injectable()
export class ClassificationModel {
  constructor(private readonly chat: ChatClient) {}

  /** @throws ModelCallFailedException if the call fails or the answer is not a classification */
  async ask(instructions: string, message: string): Promise<Classification> {
    const { text } = await this.chat.complete({
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: message },
      ],
      temperature: 0,
      answerSchema: { name: 'classification', schema: classificationSchema },
    });
    try {
      return classificationSchema.parse(JSON.parse(text));
    } catch (cause) {
      throw new ModelCallFailedException(
        `The model did not return a classification: ${text.slice(0, 200)}`,
        'Set OPENAI_MODEL to a model that supports JSON schemas.',
        { cause },
      );
    }
  }
}
