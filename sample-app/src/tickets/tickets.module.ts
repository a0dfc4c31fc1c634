import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering/answering.module.js';
import { ClassificationModule } from '../classification/classification.module.js';
import { EscalationModule } from '../escalation/escalation.module.js';
import { ExtractionModule } from '../extraction/extraction.module.js';
import { SafetyModule } from '../safety/safety.module.js';
import { TicketStore } from './ticket-store.js';
import { TicketsController } from './tickets.controller.js';
import { TicketsService } from './tickets.service.js';

@Module({
  imports: [AnsweringModule, ClassificationModule, EscalationModule, ExtractionModule, SafetyModule],
  controllers: [TicketsController],
  providers: [TicketsService, TicketStore],
})
export class TicketsModule {}
