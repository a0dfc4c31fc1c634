import { type CanActivate, Controller, Injectable, UseGuards, UseInterceptors } from '@nestjs/common';
import { NestApplicationContextOptions } from '@nestjs/common/interfaces/nest-application-context-options.interface.js';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import type { SpanRecord } from '@dacapo/protocol';
import { Traced, TracerInterceptor } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';

@Injectable()
class Answers {
  @Traced('answer')
  async answer(text: string): Promise<string> {
    return `re: ${text}`;
  }

  @Traced('policy')
  async isAllowed(): Promise<boolean> {
    return true;
  }
}

@Injectable()
class PolicyGuard implements CanActivate {
  constructor(private readonly answers: Answers) {}

  canActivate(): Promise<boolean> {
    return this.answers.isAllowed();
  }
}

@Controller()
@UseGuards(PolicyGuard)
@UseInterceptors(TracerInterceptor)
class SupportController {
  constructor(private readonly answers: Answers) {}

  @MessagePattern('ask')
  ask({ text }: { text: string }): Promise<string> {
    return this.answers.answer(text);
  }
}

export interface RunningMicroservice {
  readonly client: ClientProxy;
  /** Spans by key, without the guard's. */
  span(key: 'answer' | 'policy' | 'SupportController.ask'): SpanRecord | undefined;
  close(): Promise<void>;
}

/** A microservice with a traced guard and a traced handler of `ask`, and its client. */
export async function startMicroservice(options: MicroserviceOptions): Promise<RunningMicroservice> {
  const module = await Test.createTestingModule({
    imports: [TracerTestingModule.forRoot({ incoming: { rpc: 'continue' } })],
    controllers: [SupportController],
    providers: [Answers],
  }).compile();
  const service = module.createNestMicroservice<MicroserviceOptions>(
    Object.assign(new NestApplicationContextOptions(), options),
  );
  service.useLogger(false);
  await service.listen();
  const client = ClientProxyFactory.create(options as never) as unknown as ClientProxy;
  const tracing = service.get(TracerTestingModule);
  return {
    client,
    span: (key) => tracing.spans.find((span) => span.trace_function_key === key),
    close: async () => {
      await client.close();
      await service.close();
    },
  };
}
