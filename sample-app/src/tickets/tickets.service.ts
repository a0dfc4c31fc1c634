import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import { getCurrentTrace } from '@dacapo/tracer';
import { AnswerAgentService } from '../answering/answer-agent.service.js';
import { ClassifierService } from '../classification/classifier.service.js';
import { AnswerGuardService } from '../safety/answer-guard.service.js';
import type { Ticket, TicketRequest } from './ticket.js';
import { TicketStore } from './ticket-store.js';

const HANDED_OVER = 'Thank you for writing. A colleague will answer you in person.';

@Injectable()
export class TicketsService {
  constructor(
    private readonly classifier: ClassifierService,
    private readonly agent: AnswerAgentService,
    private readonly guard: AnswerGuardService,
    private readonly store: TicketStore,
  ) {}

  /** Classifies, answers and checks; an answer that is not allowed is a person's to write. */
  @Traced('handle-ticket', { type: 'agent' })
  async handle({ customer, message }: TicketRequest): Promise<Ticket> {
    const id = this.store.nextId();
    const trace = getCurrentTrace();
    trace.setSessionId(customer);
    trace.setMetadata({ ticketId: id, channel: 'http' });

    const classification = await this.classifier.classify(message);
    trace.setMetadata({ ...classification });
    const answer = await this.agent.answer({ customer, message, classification });
    const { allowed, reasons } = this.guard.check(answer);
    const ticket: Ticket = {
      id,
      customer,
      message,
      ...classification,
      status: allowed ? 'answered' : 'escalated',
      answer: allowed ? answer : HANDED_OVER,
      reasons,
      traceId: trace.traceId,
    };
    this.store.add(ticket);
    return ticket;
  }

  find(id: string): Ticket | undefined {
    return this.store.find(id);
  }
}
