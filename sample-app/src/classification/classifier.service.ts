import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import type { Classification } from './classification.js';
import { ClassificationModel } from './classification-model.js';

const INSTRUCTIONS = `You sort the mail of a support desk for connected lamps.
Give the category and the priority of the message.`;

/** The classifier in production. */
@Injectable()
export class ClassifierService {
  constructor(private readonly model: ClassificationModel) {}

  @Traced('classify-ticket', { type: 'llm' })
  classify(message: string): Promise<Classification> {
    return this.model.ask(INSTRUCTIONS, message);
  }
}
