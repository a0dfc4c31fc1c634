import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  type ModuleMetadata,
  SetMetadata,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  type TcpOptions,
  Transport,
} from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Test } from '@nestjs/testing';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { defer, firstValueFrom, from, type Observable } from 'rxjs';
import { WebSocket } from 'ws';
import { NoTrace, Traced, TracerInterceptor, TracerModule } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';
import { freePort } from './free-port.js';

@Injectable()
class Policies {
  @Traced('policy')
  async isAllowed(user: string): Promise<boolean> {
    if (user === 'broken') throw new Error('no policy');
    return user !== 'stranger';
  }

  @Traced('answer', { type: 'llm' })
  async answer(user: string): Promise<string> {
    return `hello ${user}`;
  }
}

@Injectable()
class PolicyGuard implements CanActivate {
  constructor(private readonly policies: Policies) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    return this.policies.isAllowed(
      context.getArgByIndex<{ user: string }>(context.getType() === 'ws' ? 1 : 0).user,
    );
  }
}

@Injectable()
class ObservableGuard implements CanActivate {
  constructor(private readonly policies: Policies) {}

  canActivate(): Observable<boolean> {
    return defer(() => from(this.policies.isAllowed('anyone')));
  }
}

@WebSocketGateway()
@Controller()
@UseGuards(PolicyGuard)
class SupportHandlers {
  constructor(private readonly policies: Policies) {}

  @SubscribeMessage('ask')
  @MessagePattern('ask')
  @UseInterceptors(TracerInterceptor)
  @UseGuards(ObservableGuard)
  async ask(): Promise<{ event: string; data: string }> {
    return { event: 'answer', data: await this.policies.answer('ada') };
  }

  @SubscribeMessage('bare')
  @MessagePattern('bare')
  async bare(): Promise<{ event: string; data: string }> {
    return { event: 'answer', data: 'bare' };
  }

  @SubscribeMessage('health')
  @MessagePattern('health')
  @UseInterceptors(TracerInterceptor)
  @NoTrace()
  health(): { event: string; data: string } {
    return { event: 'answer', data: 'up' };
  }

  @SubscribeMessage('internal')
  @MessagePattern('internal')
  @UseInterceptors(TracerInterceptor)
  @SetMetadata('internal', true)
  internal(): { event: string; data: string } {
    return { event: 'answer', data: 'internal' };
  }
}

/** All except `setImmediate`, which a microservice does not need. */
const REAL_TIMERS = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** A running application, with a function that sends a message and waits for the answer. */
interface Running {
  readonly app: INestApplication;
  send(event: string, user: string): Promise<unknown>;
  close(): Promise<void>;
}

async function compile(metadata: ModuleMetadata): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [
      TracerModule.forRoot({
        exclude: (context) => new Reflector().get<boolean>('internal', context.getHandler()),
      }),
      TracerTestingModule.forRoot(),
    ],
    ...metadata,
  }).compile();
  return module.createNestApplication({ logger: false } as object);
}

async function startWebSockets(): Promise<Running> {
  const app = await compile({ providers: [Policies, SupportHandlers] });
  app.useWebSocketAdapter(new WsAdapter(app));
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(socket, 'open');
  return {
    app,
    async send(event, user) {
      const answer = once(socket, 'message');
      socket.send(JSON.stringify({ event, data: { user } }));
      await answer;
    },
    async close() {
      socket.terminate();
      await app.close();
    },
  };
}

async function startTcp(): Promise<Running> {
  const port = await freePort();
  const options: TcpOptions = { transport: Transport.TCP, options: { host: '127.0.0.1', port } };
  const app = await compile({ controllers: [SupportHandlers], providers: [Policies] });
  app.connectMicroservice<TcpOptions>(options, { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.init();
  const client = ClientProxyFactory.create(options as never) as unknown as ClientProxy;
  return {
    app,
    send: (event, user) => firstValueFrom(client.send(event, { user })).catch((error: unknown) => error),
    async close() {
      await client.close();
      await app.close();
    },
  };
}

describe.each([
  ['a WebSocket gateway', startWebSockets],
  ['a TCP microservice', startTcp],
])('guards of %s', (_transport, start) => {
  let running: Running;
  let tracing: TracerTestingModule;
  const keys = (): string[] => tracing.spans.map((span) => span.trace_function_key);

  async function until(spans: number): Promise<void> {
    while (keys().length < spans) await new Promise((resolve) => setImmediate(resolve));
  }

  beforeEach(async () => {
    running = await start();
    tracing = running.app.get(TracerTestingModule);
  });
  afterEach(() => running.close());

  it('are part of the trace of the handler, with a promise or an Observable', async () => {
    await running.send('ask', 'ada');
    expect(keys()).toEqual(['policy', 'policy', 'answer', 'SupportHandlers.ask']);
    const root = tracing.spans.at(-1);
    expect(root).toMatchObject({ status: 'ok' });
    expect(tracing.spans.slice(0, 3).every((span) => span.parent_id === root?.id)).toBe(true);
  });

  it('keep messages apart', async () => {
    await Promise.all([running.send('ask', 'ada'), running.send('ask', 'bob')]);
    await running.send('bare', 'ada');
    await until(10);
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(3);
  });

  it('record that they refused', async () => {
    await running.send('ask', 'stranger');
    expect(keys()).toEqual(['policy', 'SupportHandlers.ask']);
    expect(tracing.spans[1]).toMatchObject({
      status: 'error',
      span_data: { error: { name: 'GuardRefusal', message: 'PolicyGuard refused' } },
    });
  });

  it('record what they threw', async () => {
    await running.send('ask', 'broken');
    expect(tracing.spans[1]).toMatchObject({
      trace_function_key: 'SupportHandlers.ask',
      status: 'error',
      span_data: { error: { message: 'no policy' } },
    });
  });

  it('are a trace of their own without the interceptor', async () => {
    await running.send('bare', 'ada');
    await until(2);
    expect(keys()).toEqual(['policy', 'SupportHandlers.bare']);
    expect(tracing.spans[1]).toMatchObject({ status: 'ok' });
  });

  it('end their trace under fake timers', async () => {
    const { setImmediate: realSetImmediate } = globalThis;
    jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
    try {
      await running.send('bare', 'ada');
      while (keys().length < 2) await new Promise((resolve) => realSetImmediate(resolve));
    } finally {
      jest.useRealTimers();
    }
    expect(keys()).toEqual(['policy', 'SupportHandlers.bare']);
  });

  it('are excluded by NoTrace and exclude', async () => {
    await running.send('health', 'ada');
    await running.send('internal', 'ada');
    await running.send('ask', 'ada');
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(1);
  });
});
