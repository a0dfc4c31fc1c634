import { Inject, Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import { OpenAIProvider, Runner } from '@openai/agents';
import { AppConfig } from '../config/app-config.js';
import type { TicketRequest } from '../tickets/ticket.js';
import { type Handover, noteSchema } from './handover.js';
import { createDeskAgent } from './team-agents.js';

/** Routes a ticket to a team with agents of the OpenAI Agents SDK. */
@Injectable()
export class EscalationService {
  private readonly runner: Runner;

  constructor(@Inject(AppConfig) { model }: AppConfig) {
    const { apiKey = 'none', baseUrl: baseURL, name } = model;
    const modelProvider = new OpenAIProvider({ apiKey, baseURL, useResponses: false });
    this.runner = new Runner({ workflowName: 'Escalation', model: name, modelProvider });
  }

  @Traced('escalate-ticket', { type: 'agent' })
  async escalate({ customer, message }: TicketRequest, reasons: readonly string[]): Promise<Handover> {
    const request = `Customer: ${customer}\nNot answered, because the answer ${reasons.join(' and ')}.\n\n${message}`;
    const { finalOutput, lastAgent } = await this.runner.run(createDeskAgent(), request);
    const { success, data } = noteSchema.safeParse(finalOutput);
    return {
      team: lastAgent?.name ?? 'Customer care',
      ...(success
        ? data
        : { urgency: 'today', note: typeof finalOutput === 'string' ? finalOutput : message }),
    };
  }
}
