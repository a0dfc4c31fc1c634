import { Controller, type INestMicroservice, Injectable, UseInterceptors } from '@nestjs/common';
import {
  type ClientProxy,
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  type TcpOptions,
  Transport,
} from '@nestjs/microservices';
import { NestApplicationContextOptions } from '@nestjs/common/interfaces/nest-application-context-options.interface.js';
import { Test } from '@nestjs/testing';
import { concatMap, firstValueFrom, lastValueFrom, type Observable, range, throwError, toArray } from 'rxjs';
import { injectTraceContext } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { Traced, TracerInterceptor, TracerModule } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';
import { freePort } from './free-port.js';

@Injectable()
class Answers {
  @Traced('answer')
  async answer(text: unknown): Promise<string> {
    return `re: ${String(text)}`;
  }
}

@Controller()
class SupportController {
  constructor(private readonly answers: Answers) {}

  @MessagePattern('ask')
  async ask({ text }: { text: string }): Promise<string> {
    await this.answers.answer(text);
    return this.answers.answer(`${text} again`);
  }

  @MessagePattern('stream')
  stream(count: number): Observable<string> {
    return range(1, count).pipe(concatMap((n) => this.answers.answer(n)));
  }

  @MessagePattern('fail')
  fail(text: string): Observable<never> {
    void this.answers.answer(text);
    return throwError(() => new Error('no answer'));
  }

  @MessagePattern('twice')
  @UseInterceptors(TracerInterceptor)
  twice(text: string): Promise<string> {
    return this.answers.answer(text);
  }

  @EventPattern('noted')
  noted(data: unknown): unknown {
    return data;
  }
}

describe('a TCP microservice', () => {
  let service: INestMicroservice;
  let client: ClientProxy;
  let tracing: TracerTestingModule;

  beforeEach(async () => {
    const port = await freePort();
    const module = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({
          interceptor: true,
          incoming: { rpc: 'continue' },
          enrich: (context) => ({ metadata: { type: context.getType() } }),
        }),
        TracerTestingModule.forRoot(),
      ],
      controllers: [SupportController],
      providers: [Answers],
    }).compile();
    const options: TcpOptions = { transport: Transport.TCP, options: { host: '127.0.0.1', port } };
    service = module.createNestMicroservice<TcpOptions>(
      Object.assign(new NestApplicationContextOptions(), options),
    );
    service.useLogger(false);
    await service.listen();
    client = ClientProxyFactory.create(options as never) as unknown as ClientProxy;
    tracing = service.get(TracerTestingModule);
  });
  afterEach(async () => {
    await client.close();
    await service.close();
  });

  it('records a message as one trace with the result of enrich', async () => {
    expect(await firstValueFrom(client.send('ask', { text: 'why' }))).toBe('re: why again');
    const root = tracing.spans.find((span) => span.trace_function_key === 'SupportController.ask');
    expect(tracing.spans.map((span) => span.parent_id)).toEqual([root?.id, root?.id, undefined]);
    expect(root?.span_data.input).toEqual([{ transport: 'rpc' }]);
    expect(tracing.traces).toMatchObject([{ metadata: { type: 'rpc' } }]);
  });

  it('keeps the trace while an Observable is consumed', async () => {
    expect(await lastValueFrom(client.send('stream', 3).pipe(toArray()))).toHaveLength(3);
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(1);
    expect(tracing.spans).toHaveLength(4);
  });

  it('records the error of the handler', async () => {
    await expect(firstValueFrom(client.send('fail', 'why'))).rejects.toBeDefined();
    expect(tracing.spans.find((span) => span.trace_function_key === 'SupportController.fail')).toMatchObject({
      status: 'error',
      span_data: { error: { message: 'no answer' } },
    });
  });

  it('traces a handler once if the interceptor is registered twice', async () => {
    await firstValueFrom(client.send('twice', 'why'));
    expect(tracing.spans.map((span) => span.trace_function_key)).toEqual([
      'answer',
      'SupportController.twice',
    ]);
  });

  it('records nothing if nothing inside is traced', async () => {
    await firstValueFrom(client.emit('noted', {}), { defaultValue: undefined });
    await firstValueFrom(client.send('ask', { text: 'after it' }));
    expect(tracing.spans.some((span) => span.trace_function_key === 'SupportController.noted')).toBe(false);
  });

  it('continues the trace of a trusted sender', async () => {
    const sender = createTestTracer();
    const send = sender.tracer.withSpan('sender', (text: string) =>
      firstValueFrom(client.send('ask', injectTraceContext({ text }))),
    );
    await send('why');
    const root = tracing.spans.find((span) => span.trace_function_key === 'SupportController.ask');
    expect(root).toMatchObject({ trace_id: sender.spans[0]?.trace_id, parent_id: sender.spans[0]?.id });
  });
});
