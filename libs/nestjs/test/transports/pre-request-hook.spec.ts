import { Controller, type INestMicroservice, Injectable } from '@nestjs/common';
import { NestApplicationContextOptions } from '@nestjs/common/interfaces/nest-application-context-options.interface.js';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  type TcpOptions,
  Transport,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import { Traced, TracerInterceptor } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';
import { freePort } from './free-port.js';

@Injectable()
class Policies {
  @Traced('policy')
  async isAllowed(user: string): Promise<boolean> {
    return user !== 'stranger';
  }
}

@Controller()
class SupportController {
  @Traced('ask')
  @MessagePattern('ask')
  async ask({ user }: { user: string }): Promise<string> {
    return `hello ${user}`;
  }
}

describe('a pre-request hook of a microservice', () => {
  let service: INestMicroservice;
  let client: ClientProxy;
  let tracing: TracerTestingModule;

  beforeEach(async () => {
    const port = await freePort();
    const options: TcpOptions = { transport: Transport.TCP, options: { host: '127.0.0.1', port } };
    const module = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      controllers: [SupportController],
      providers: [Policies],
    }).compile();
    service = module.createNestMicroservice<TcpOptions>(
      Object.assign(new NestApplicationContextOptions(), options),
    );
    service.useLogger(false);
    const interceptor = service.get(TracerInterceptor);
    service.registerPreRequestHook((context, next) => interceptor.intercept(context, { handle: next }));
    const policies = service.get(Policies);
    service.useGlobalGuards({
      canActivate: (context) => policies.isAllowed(context.switchToRpc().getData<{ user: string }>().user),
    });
    await service.listen();
    client = ClientProxyFactory.create(options as never) as unknown as ClientProxy;
    tracing = service.get(TracerTestingModule);
  });
  afterEach(async () => {
    await client.close();
    await service.close();
  });

  it('includes guards that are not providers in the trace of the handler', async () => {
    expect(await firstValueFrom(client.send('ask', { user: 'ada' }))).toBe('hello ada');
    const root = tracing.spans.at(-1);
    expect(tracing.spans.map((span) => span.trace_function_key)).toEqual([
      'policy',
      'ask',
      'SupportController.ask',
    ]);
    expect(tracing.spans.map((span) => span.parent_id)).toEqual([root?.id, root?.id, undefined]);
  });

  it('records the exception of a guard that refused', async () => {
    await expect(firstValueFrom(client.send('ask', { user: 'stranger' }))).rejects.toBeDefined();
    expect(tracing.spans.at(-1)).toMatchObject({
      trace_function_key: 'SupportController.ask',
      status: 'error',
      span_data: { error: { message: 'Forbidden resource' } },
    });
  });
});
