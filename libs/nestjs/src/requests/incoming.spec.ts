import { get as httpGet } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import {
  Controller,
  type DynamicModule,
  Get,
  type INestApplication,
  Injectable,
  Module,
  Param,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  type TcpOptions,
  Transport,
} from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { firstValueFrom } from 'rxjs';
import type { SpanRecord } from '@dacapo/protocol';
import { getCurrentTrace, type IncomingMode, type TracerOptions } from '@dacapo/tracer';
import { createTestTracer, type TestTracer } from '@dacapo/tracer/testing';
import { freePort } from '../../test/transports/free-port.js';
import type { TracerModuleOptions } from '../module/module-options.js';
import { TracerModule } from '../module/tracer.module.js';
import { createTracedFetch } from '../propagation/fetch.js';
import { Traced } from '../tracing/traced.decorator.js';

const CALLER = { trace_id: '0af76519-16cd-43dd-8448-eb211c80319c', span_id: 'b7ad6b7169203331' };
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const UNSAMPLED = PARENT.replace(/01$/, '00');

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string): Promise<string> {
    getCurrentTrace().setSessionId(user);
    return user;
  }
}

@Controller()
class UsersController {
  constructor(private readonly model: Model) {}

  @Get('users/:user')
  user(@Param('user') user: string): Promise<string> {
    return this.model.ask(user);
  }

  @MessagePattern('ask')
  ask({ user }: { user: string }): Promise<string> {
    return this.model.ask(user);
  }
}

interface Job {
  readonly data: { readonly user: string };
  readonly opts: { readonly telemetry?: { readonly metadata?: string } };
}

@Processor('users')
class UsersProcessor extends WorkerHost {
  constructor(private readonly model: Model) {
    super();
  }

  process({ data }: Job): Promise<string> {
    return this.model.ask(data.user);
  }
}

@Injectable()
class Consumer {
  @Traced('consume', { traceContext: (headers: object) => ({ ...headers }) })
  consume(headers: object): string {
    return typeof headers;
  }

  @Traced('consume.trusted', { traceContext: (headers: object) => ({ ...headers }), incoming: 'continue' })
  consumeTrusted(headers: object): string {
    return typeof headers;
  }
}

/** Has the interceptor, which messages need. */
const withForRoot = (options: TracerModuleOptions): DynamicModule =>
  TracerModule.forRoot({ ...options, interceptor: true });

@Module({})
class IncomingModule {}

type Way = 'http' | 'rpc' | 'queues' | 'traceContext';
const WAYS: readonly Way[] = ['http', 'rpc', 'queues', 'traceContext'];

/** A hybrid application, called through each transport. */
interface RunningApplication {
  readonly app: INestApplication;
  readonly url: string;
  readonly test: TestTracer;
  send(way: Way, user: string, headers?: Record<string, string | string[]>): Promise<void>;
  /** The outermost span of the trace with a user's call. */
  findRoot(user: string): Promise<SpanRecord>;
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('an incoming trace on %s', (_platform, createAdapter) => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function start(
    options: TracerModuleOptions = {},
    tracerOptions: TracerOptions = {},
    register = withForRoot,
  ): Promise<RunningApplication> {
    const test = createTestTracer({ logger: { warn: () => undefined }, ...tracerOptions });
    const tcp = { transport: Transport.TCP, options: { host: '127.0.0.1', port: await freePort() } } as const;
    const module: DynamicModule = {
      module: IncomingModule,
      imports: [register({ ...options, tracer: test.tracer })],
      controllers: [UsersController],
      providers: [Model, UsersProcessor, Consumer],
    };
    const app = await NestFactory.create(
      module,
      createAdapter() as ExpressAdapter,
      { logger: false } as object,
    );
    app.connectMicroservice<TcpOptions>(tcp, { inheritAppConfig: true });
    await app.startAllMicroservices();
    await app.listen(0, '127.0.0.1');
    closing.push(() => app.close());
    const client = ClientProxyFactory.create(tcp as never) as unknown as ClientProxy;
    closing.push(async () => client.close());
    const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    return {
      app,
      url,
      test,
      send: async (way, user, headers = { traceparent: PARENT }) => {
        if (way === 'http') await get(`${url}/users/${user}`, headers);
        else if (way === 'rpc') await firstValueFrom(client.send('ask', { user, ...headers }));
        else if (way === 'traceContext') app.get(Consumer).consume(headers);
        else
          await app.get(UsersProcessor).process({
            data: { user },
            opts: { telemetry: { metadata: JSON.stringify(headers) } },
          });
      },
      findRoot: async (user) => {
        for (;;) {
          const call = test.spans.find((span) => span.span_data.input?.[0] === user);
          const root = test.spans.find(
            (span) =>
              span.trace_id === call?.trace_id && (span.parent_id ?? CALLER.span_id) === CALLER.span_id,
          );
          if (root !== undefined) return root;
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    };
  }

  /** Header values as in Node: a list becomes several headers with one name. */
  async function get(url: string, headers: Record<string, string | string[]>): Promise<void> {
    const request = httpGet(url, { headers });
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    response.resume();
    await once(response, 'end');
  }

  /** The mode of each transport, by how its outermost span refers to the caller. */
  async function outcomes({ send, test, findRoot }: RunningApplication): Promise<Record<Way, IncomingMode>> {
    const found: Partial<Record<Way, IncomingMode>> = {};
    for (const way of WAYS) {
      await send(way, way);
      const root =
        way === 'traceContext'
          ? test.spans.find((span) => span.trace_function_key === 'consume')!
          : await findRoot(way);
      const isLinked = root.span_data.meta?.links !== undefined;
      found[way] = root.trace_id === CALLER.trace_id ? 'continue' : isLinked ? 'link' : 'ignore';
      if (isLinked) expect(root.span_data.meta?.links).toEqual([CALLER]);
    }
    return found as Record<Way, IncomingMode>;
  }

  const all = (mode: IncomingMode): Record<Way, IncomingMode> => ({
    http: mode,
    rpc: mode,
    queues: mode,
    traceContext: mode,
  });

  it.each<[string, TracerModuleOptions, Record<Way, IncomingMode>]>([
    ['is linked by default', {}, all('link')],
    ['is continued', { incoming: 'continue' }, all('continue')],
    ['is ignored', { incoming: 'ignore' }, all('ignore')],
    ['is decided by a function', { incoming: () => 'continue' }, all('continue')],
    [
      'is decided per transport',
      { incoming: { http: 'ignore', rpc: 'continue', queues: () => 'continue' } },
      { http: 'ignore', rpc: 'continue', queues: 'continue', traceContext: 'link' },
    ],
    [
      'continues queues that propagate',
      { propagate: { queues: true } },
      { ...all('link'), queues: 'continue' },
    ],
    ['does not trust clients that propagate', { propagate: { clients: true } }, all('link')],
    ['follows incoming before propagate', { propagate: { queues: true }, incoming: 'link' }, all('link')],
    [
      'keeps the default of propagate if incoming names other transports',
      { propagate: { queues: true }, incoming: { http: 'ignore' } },
      { http: 'ignore', rpc: 'link', queues: 'continue', traceContext: 'link' },
    ],
  ])('%s', async (_case, options, expected) => {
    expect(await outcomes(await start(options))).toEqual(expected);
  });

  it('follows the options of forRootAsync', async () => {
    const register = (options: TracerModuleOptions): DynamicModule =>
      TracerModule.forRootAsync({ interceptor: true, useFactory: async () => options });
    expect(await outcomes(await start({ incoming: 'continue' }, {}, register))).toEqual(all('continue'));
  });

  it('follows the tracer if the module has no rule, even with propagate', async () => {
    const running = await start({ propagate: { queues: true } }, { incoming: 'ignore' });
    expect(await outcomes(running)).toEqual(all('ignore'));
  });

  it('is continued by a method with incoming in @Traced', async () => {
    const { app, test } = await start();
    app.get(Consumer).consumeTrusted({ traceparent: PARENT });
    expect(test.spans).toMatchObject([{ trace_id: CALLER.trace_id, parent_id: CALLER.span_id }]);
  });

  it.each<[IncomingMode, string, number, boolean]>([
    ['link', UNSAMPLED, 1, true],
    ['link', PARENT, 0, false],
    ['continue', UNSAMPLED, 1, false],
    ['continue', PARENT, 0, true],
  ])(
    'with %s and %s at a sampleRate of %d is recorded: %s',
    async (incoming, traceparent, sampleRate, isRecorded) => {
      const { send, test } = await start({ incoming }, { sampleRate });
      for (const way of WAYS) await send(way, way, { traceparent });
      const isComplete = (): boolean => test.spans.filter((span) => span.parent_id === undefined).length >= 4;
      while (isRecorded && incoming === 'link' && !isComplete())
        await new Promise((resolve) => setImmediate(resolve));
      const keys = new Set(test.spans.map((span) => span.trace_function_key));
      expect([keys.has('ask'), keys.has('consume')]).toEqual([isRecorded, isRecorded]);
    },
  );

  it.each<[string, Record<string, string | string[]>]>([
    ['no header', {}],
    ['a malformed header', { traceparent: 'garbage' }],
    ['only zeros as ids', { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` }],
    ['version ff', { traceparent: PARENT.replace(/^00/, 'ff') }],
    ['a header of 10 kB', { traceparent: `${PARENT}${'-x'.repeat(5000)}` }],
    ['two', { traceparent: [PARENT, PARENT] }],
    ['two joined', { traceparent: `${PARENT},${PARENT}` }],
  ])('with %s starts a trace without a link, even if callers are trusted', async (_case, headers) => {
    const { send, findRoot } = await start({ incoming: 'continue' });
    for (const way of ['http', 'rpc', 'queues'] as const) {
      await send(way, way, headers);
      const root = await findRoot(way);
      expect(root.parent_id).toBeUndefined();
      expect(root.span_data.meta?.links).toBeUndefined();
    }
  });

  it.each<IncomingMode>(['link', 'continue'])(
    'carries no session and no metadata with %s',
    async (incoming) => {
      const { send, test, findRoot } = await start({ incoming });
      const headers = {
        traceparent: PARENT,
        tracestate: 'dacapo=session:mallory',
        baggage: 'session_id=mallory',
        'x-session-id': 'mallory',
      };
      for (const way of ['http', 'rpc', 'queues'] as const) {
        await send(way, way, headers);
        await findRoot(way);
      }
      expect(JSON.stringify([test.spans, test.traces])).not.toContain('mallory');
    },
  );

  it('keeps two users apart when they send the same ids', async () => {
    const { send, test, findRoot } = await start();
    for (const user of ['ann', 'bob']) {
      await send('http', user);
      await findRoot(user);
    }
    expect(test.traces.map(({ session_id: session }) => session)).toEqual(['ann', 'bob']);
  });

  it('passes the headers of the request to a function, in lower case', async () => {
    const seen: unknown[] = [];
    const incoming = (headers: Readonly<Record<string, unknown>>): IncomingMode => {
      seen.push(headers['x-peer'], Object.isFrozen(headers));
      return headers['x-peer'] === 'orders' ? 'continue' : 'link';
    };
    const { send, findRoot } = await start({ incoming });
    await send('http', 'ann', { traceparent: PARENT, 'X-Peer': 'orders' });
    expect((await findRoot('ann')).trace_id).toBe(CALLER.trace_id);
    expect(seen).toEqual(['orders', true]);
  });

  it('is one trace if both services continue, and two linked traces if the second does not', async () => {
    for (const incoming of ['continue', 'link'] as const) {
      const [front, back] = [createTestTracer({ incoming: 'continue' }), await start({ incoming })];
      const send = createTracedFetch();
      const begin = front.tracer.withSpan('begin', async () => (await send(`${back.url}/users/ann`)).text());
      expect(await begin()).toBe('ann');
      while (back.test.spans.length < 2) await new Promise((resolve) => setImmediate(resolve));
      const [[begun], served] = [front.spans, back.test.spans.at(-1)];
      const place = { trace_id: begun?.trace_id, span_id: begun?.id };
      if (incoming === 'continue')
        expect(served).toMatchObject({ trace_id: place.trace_id, parent_id: place.span_id });
      else expect(served?.span_data.meta?.links).toEqual([place]);
    }
  });
});

describe('the option incoming of the module', () => {
  it.each([
    ['contine', 'not "contine"'],
    [{ htpp: 'link' }, 'its htpp is unknown'],
    [{ rpc: 7 }, 'its rpc is number'],
  ])('refuses %j at setup, and the message says what to write', async (incoming, problem) => {
    for (const tracer of [undefined, createTestTracer().tracer]) {
      const start = NestFactory.createApplicationContext(
        TracerModule.forRoot({ incoming: incoming as never, tracer }),
        { logger: false, abortOnError: false } as object,
      );
      await expect(start).rejects.toThrow(problem);
      await expect(start).rejects.toThrow("Write incoming: 'link', 'continue' or 'ignore'");
    }
  });

  it('in @Traced is checked when the class is defined', () => {
    expect(() => Traced('k', { incoming: { http: 'link' } as never })).toThrow("Write incoming: 'continue'");
  });
});
