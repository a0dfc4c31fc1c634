import { Module } from '@nestjs/common';
import { KnowledgeModule } from '../knowledge/knowledge.module.js';
import { ModelModule } from '../model/model.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { AnswerAgentService } from './answer-agent.service.js';
import { AnswerWriterService } from './answer-writer.service.js';
import { ToolboxService } from './toolbox.service.js';

@Module({
  imports: [KnowledgeModule, ModelModule, OrdersModule],
  providers: [AnswerAgentService, AnswerWriterService, ToolboxService],
  exports: [AnswerAgentService],
})
export class AnsweringModule {}
