import { Module } from '@nestjs/common';
import { AgentsTracingModule } from '@dacapo/nestjs';
import * as agents from '@openai/agents';
import { EscalationService } from './escalation.service.js';

// The SDK's default exporter sends every run to OpenAI.
agents.setTraceProcessors([]);

@Module({
  imports: [AgentsTracingModule.forRoot({ agents })],
  providers: [EscalationService],
  exports: [EscalationService],
})
export class EscalationModule {}
