import { Injectable } from '@nestjs/common';
import { ChatClient } from '../model/chat-client.js';
import { ModelCallFailedException } from '../model/errors.js';
import { type Classification, classificationSchema } from './classification.js';

/** Asks the model for a classification, by whatever instructions a version of the classifier has. */
@Injectable()
export class ClassificationModel {
  constructor(private readonly chat: ChatClient) {}

  /** @throws ModelCallFailedException also when the answer is no classification */
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
        `The model answered no classification: ${text.slice(0, 200)}`,
        'Choose a model in OPENAI_MODEL that keeps to a JSON schema.',
        { cause },
      );
    }
  }
}
