import { Injectable } from '@nestjs/common';
import { Traced } from '@dacapo/nestjs';
import { getCurrentTrace } from '@dacapo/tracer';
import { AnswerAgentService } from '../answering/answer-agent.service.js';
import { ClassifierService } from '../classification/classifier.service.js';
import { EscalationService } from '../escalation/escalation.service.js';
import { ExtractorService } from '../extraction/extractor.service.js';
import { AnswerGuardService } from '../safety/answer-guard.service.js';
import type { Ticket, TicketRequest } from './ticket.js';
import { TicketStore } from './ticket-store.js';

const HANDED_OVER = 'Thank you for writing. A colleague will answer you in person.';

@Injectable()
export class TicketsService {
  constructor(
    private readonly classifier: ClassifierService,
    private readonly extractor: ExtractorService,
    private readonly agent: AnswerAgentService,
    private readonly guard: AnswerGuardService,
    private readonly escalation: EscalationService,
    private readonly store: TicketStore,
  ) {}

  /** Classifies and answers a message. If the guard blocks the answer, the ticket is escalated. */
  @Traced('handle-ticket', { type: 'agent' })
  async handle(request: TicketRequest): Promise<Ticket> {
    const { customer, message } = request;
    const id = this.store.nextId();
    const trace = getCurrentTrace();
    trace.setSessionId(customer);
    trace.setMetadata({ ticketId: id, channel: 'http' });

    const [classification, facts] = await Promise.all([
      this.classifier.classify(message),
      this.extractor.extract(message),
    ]);
    trace.setMetadata({ ...classification });
    const draft = await this.agent.answer({ customer, message, classification, facts });
    const { allowed, reasons } = this.guard.check(draft);
    const outcome: Pick<Ticket, 'status' | 'answer' | 'handover'> = allowed
      ? { status: 'answered', answer: draft }
      : {
          status: 'escalated',
          answer: HANDED_OVER,
          handover: await this.escalation.escalate(request, reasons),
        };
    const ticket = {
      id,
      customer,
      message,
      ...classification,
      facts,
      ...outcome,
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
