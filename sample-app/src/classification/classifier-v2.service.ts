import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import type { Classification } from './classification.js';
import { ClassificationModel } from './classification-model.js';

const INSTRUCTIONS = `You sort the mail of a support desk for connected lamps.
Give the category of the message:
- order: where a parcel is, late, lost or damaged deliveries, returns, broken goods
- billing: invoices, refunds, payments, cards, charged twice or wrongly, subscriptions
- technical: blinking or offline devices, SDK, CLI, commands, API, webhooks, requests, tokens
- account: sign-in, passwords, e-mail addresses, deleting data
- other: everything else
Give its priority:
- high: charged wrongly, a deadline, production is down, nothing works, a danger, wants to cancel
- normal: anything that waits for an answer
- low: praise, thanks, ideas, curious questions`;

/** Candidate to replace ClassifierService, with a definition of each label. It has the same key, so recorded calls replay. */
@Injectable()
export class ClassifierV2Service {
  constructor(private readonly model: ClassificationModel) {}

  @Traced('classify-ticket', { type: 'llm' })
  classify(message: string): Promise<Classification> {
    return this.model.ask(INSTRUCTIONS, message);
  }
}
