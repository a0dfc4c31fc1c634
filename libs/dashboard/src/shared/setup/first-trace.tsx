import { Snippet } from '../ui/snippet.js';

const code = (serviceUrl: string) => `// .env: TRACER_API_KEY=<your key>  TRACER_SERVICE_URL=${serviceUrl}
import { Module, Injectable } from '@nestjs/common';
import { Traced, TracerModule } from '@dacapo/nestjs';

@Injectable()
export class AnswerService {
  @Traced('answer-ticket', { type: 'llm' })
  async answer(question: string) { /* call your model */ }
}

@Module({ imports: [TracerModule.forRoot()], providers: [AnswerService] })
export class AppModule {}`;

/** The code that sends a first trace from a NestJS application to this collector. */
export function FirstTrace() {
  return <Snippet title="In your NestJS application" code={code(window.location.origin)} />;
}
