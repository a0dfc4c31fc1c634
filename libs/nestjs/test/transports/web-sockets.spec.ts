import { type INestApplication, Injectable, UseInterceptors } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { concatMap, type Observable, range } from 'rxjs';
import { WebSocket } from 'ws';
import { Traced, TracerInterceptor } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';

@Injectable()
class Answers {
  @Traced('answer')
  async answer(text: unknown): Promise<string> {
    return `re: ${String(text)}`;
  }
}

@WebSocketGateway()
@UseInterceptors(TracerInterceptor)
class SupportGateway {
  constructor(private readonly answers: Answers) {}

  @SubscribeMessage('ask')
  async ask(@MessageBody() { text }: { text: string }): Promise<{ event: string; data: string }> {
    await this.answers.answer(text);
    return { event: 'answer', data: await this.answers.answer('again') };
  }

  @SubscribeMessage('stream')
  stream(): Observable<{ event: string; data: string }> {
    return range(1, 2).pipe(
      concatMap(async (n) => ({ event: 'answer', data: await this.answers.answer(n) })),
    );
  }
}

describe('a WebSocket gateway', () => {
  let app: INestApplication;
  let socket: WebSocket;
  let tracing: TracerTestingModule;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot({ incoming: { rpc: 'continue' } })],
      providers: [Answers, SupportGateway],
    }).compile();
    app = module.createNestApplication({ logger: false } as object);
    app.useWebSocketAdapter(new WsAdapter(app));
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, 'open');
    tracing = app.get(TracerTestingModule);
  });
  afterEach(async () => {
    socket.terminate();
    await app.close();
  });

  async function send(event: string, data: unknown, answers: number): Promise<void> {
    const received = new Promise<void>((resolve) => {
      let left = answers;
      socket.on('message', () => {
        if (--left === 0) resolve();
      });
    });
    socket.send(JSON.stringify({ event, data }));
    await received;
  }

  it('records each message as a trace of its own', async () => {
    await send('ask', { text: 'why' }, 1);
    await send('ask', { text: 'how' }, 1);
    const roots = tracing.spans.filter((span) => span.trace_function_key === 'SupportGateway.ask');
    expect(roots.map((span) => span.parent_id)).toEqual([undefined, undefined]);
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(2);
    expect(tracing.spans.slice(0, 2).map((span) => span.parent_id)).toEqual([roots[0]?.id, roots[0]?.id]);
  });

  it('keeps the trace while an Observable emits', async () => {
    await send('stream', {}, 2);
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(1);
  });

  it('continues the trace in a message from a trusted client', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await send('ask', { text: 'why', traceparent }, 1);
    expect(tracing.spans.at(-1)).toMatchObject({
      trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
      parent_id: 'b7ad6b7169203331',
    });
  });
});
