import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import http, { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import type { ReplayOptions } from '../options/replay-options.js';
import { createTestTracer, type TestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';
import type { ReplayItem } from '../replay-types.js';

describe("a replay with network: 'deny'", () => {
  let sink: Server;
  let datagrams: DatagramSocket;
  /** What arrived at the sinks. */
  let arrived: string[];
  let recorded: TestTracer;
  let service: StoredSpansService;

  beforeEach(async () => {
    arrived = [];
    sink = createServer((request, response) => {
      arrived.push(`request ${request.url ?? ''}`);
      response.end('ok');
    });
    sink.on('connection', () => arrived.push('connection'));
    sink.listen(0, '127.0.0.1');
    datagrams = createSocket('udp4', () => arrived.push('datagram'));
    datagrams.bind(0, '127.0.0.1');
    await Promise.all([once(sink, 'listening'), once(datagrams, 'listening')]);
    recorded = createTestTracer();
    recorded.tracer.withSpan('desk', () => 'then')();
    service = await startStoredSpansService(recorded.spans);
  });

  afterEach(async () => {
    sink.closeAllConnections();
    sink.close();
    datagrams.close();
    await service.close();
  });

  const port = (): number => (sink.address() as AddressInfo).port;
  const url = (path: string): string => `http://127.0.0.1:${port()}${path}`;

  async function replay(
    build: (tracer: Tracer) => () => unknown,
    options: ReplayOptions = {},
  ): Promise<ReplayItem> {
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const fn = tracer.withSpan('desk', build(tracer));
    const { items } = await tracer.replay('desk', fn, { network: 'deny', ...options });
    return items[0]!;
  }

  const get = (agent?: http.Agent): Promise<string> =>
    new Promise((resolve, reject) => {
      http
        .get(url('/http'), { agent }, (response) => {
          response.resume();
          response.on('end', () => {
            resolve('answered');
          });
        })
        .on('error', reject);
    });

  const attempts: [string, () => Promise<unknown>][] = [
    ['a socket', async () => once(net.connect(port(), '127.0.0.1'), 'connect')],
    ['a socket of options', async () => once(net.connect({ host: '127.0.0.1', port: port() }), 'connect')],
    ['a TLS socket', async () => once(tls.connect(port(), '127.0.0.1'), 'secureConnect')],
    ['a request', () => get()],
    ['fetch', async () => fetch(url('/fetch'))],
    [
      'a datagram',
      () =>
        new Promise((resolve, reject) => {
          const socket = createSocket('udp4');
          const { port: to } = datagrams.address();
          socket.send('hi', to, '127.0.0.1', (error) => {
            socket.close();
            if (error === null) resolve('sent');
            else reject(error);
          });
        }),
    ],
  ];

  it.each(attempts)('blocks %s: it fails with the cure, and is listed', async (_, connect) => {
    let error: unknown;
    const item = await replay(() => async () => {
      await connect().catch((reason: unknown) => (error = reason));
      return 'now';
    });
    const denied = (error as Error).cause ?? error;
    expect(denied).toMatchObject({
      code: 'TRACER_NETWORK_DENIED',
      message: expect.stringContaining("network: 'allow'"),
    });
    expect(item.result).toBe('now');
    expect(item.deniedConnections).toEqual([expect.stringMatching(/^(udp )?127\.0\.0\.1:\d+$/) as string]);
    expect(arrived).toEqual([]);
  });

  it('blocks connections that were open before', async () => {
    const agent = new http.Agent({ keepAlive: true });
    await get(agent);
    await (await fetch(url('/warm'))).text();
    arrived = [];
    const item = await replay(() => async () => {
      const outcomes = await Promise.allSettled([get(agent), fetch(url('/fetch'))]);
      return outcomes.map(({ status }) => status);
    });
    expect(item.result).toEqual(['rejected', 'rejected']);
    expect(arrived).toEqual([]);
    agent.destroy();
  });

  it('allows code outside of the replayed calls to connect', async () => {
    let isPlaying = (): void => undefined;
    const playing = new Promise<void>((resolve) => (isPlaying = resolve));
    let goOn = (): void => undefined;
    const outside = playing
      .then(async () => (await fetch(url('/outside'))).text())
      .finally(() => {
        goOn();
      });
    const item = await replay(() => async () => {
      isPlaying();
      await new Promise<void>((resolve) => (goOn = resolve));
    });
    expect(await outside).toBe('ok');
    expect(item).not.toHaveProperty('deniedConnections');
  });

  it('allows functions named by live to connect, and what they call', async () => {
    const item = await replay(
      (tracer) => {
        const http = tracer.withSpan('http', async (path: string) => (await fetch(url(path))).text());
        const model = tracer.withSpan('model', { type: 'llm' }, async () => http('/model'));
        const tool = tracer.withSpan('tool', async () => http('/tool'));
        return async () => Promise.allSettled([model(), tool()]);
      },
      { mock: 'none', live: ['llm'] },
    );
    expect(item.result).toMatchObject([{ value: 'ok' }, { status: 'rejected' }]);
    expect(arrived).toEqual(['connection', 'request /model']);
  });

  it('ends with the replay, and restores what was there before', async () => {
    const before = [net.Socket.prototype.connect, http.Agent.prototype, fetch];
    let inside: unknown;
    await replay(() => () => {
      inside = net.Socket.prototype.connect;
    });
    expect(inside).not.toBe(before[0]);
    expect([net.Socket.prototype.connect, http.Agent.prototype, fetch]).toEqual(before);
  });

  it('is not there by default: connections are made', async () => {
    const item = await replay(() => async () => (await fetch(url('/live'))).text(), { network: 'allow' });
    expect(item.result).toBe('ok');
  });
});
