import { Controller, Get, Injectable, Module, Param, Scope, UseGuards } from '@nestjs/common';
import { InjectTracer, NoTrace, Traced, type Tracer, TracerModule } from '@dacapo/nestjs';
import { scheduled } from './scheduled.module.js';
import { MessagesController, Policies, PolicyGuard } from './messages.controller.js';

@Injectable()
export class Answers {
  @Traced('support.answer', { type: 'llm' })
  async answer(question: string): Promise<string> {
    return `answer to ${question}`;
  }
}

@Injectable({ scope: Scope.REQUEST })
class ScopedAnswers {
  @Traced()
  answer(question: string): string {
    return `scoped answer to ${question}`;
  }
}

@Controller('tickets')
class TicketsController {
  constructor(
    private readonly answers: Answers,
    private readonly scoped: ScopedAnswers,
    @InjectTracer() readonly tracer: Tracer,
  ) {}

  @Get(':question')
  @Traced('tickets.get')
  async get(@Param('question') question: string): Promise<string[]> {
    return [await this.answers.answer(question), this.scoped.answer(question)];
  }

  @NoTrace()
  @UseGuards(PolicyGuard)
  @Get()
  list(): string {
    return 'none';
  }
}

@Module({
  imports: [TracerModule.forRoot(), scheduled],
  controllers: [TicketsController, MessagesController],
  providers: [Answers, ScopedAnswers, Policies],
})
export class AppModule {}
