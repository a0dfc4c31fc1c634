import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStoredSpansService } from '../../test/service/stored-spans-service.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';

/** A server that answers with what it is asked, late, and remembers who asked. */
async function startServer(requests: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    setTimeout(() => response.end(`answer to ${request.url ?? ''}`), Math.random() * 10);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const toUrl = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Asks a model which tools to use, uses them at one time, and hands on what they give in the order in which they give it. */
function createAgent(tracer: Tracer, urls: { model: string; tools: string }, prompt: string) {
  const model = tracer.withSpan('model', { type: 'llm' }, async (system: string, messages: string[]) => {
    const response = await fetch(`${urls.model}/${encodeURIComponent(system)}/${messages.length}`);
    await response.text();
    return messages.length < 7 ? ['search', 'weather', 'stock'] : [];
  });
  const tool = tracer.withSpan('tool', { type: 'function' }, async (name: string, turn: number) => {
    await sleep(Math.random() * 8);
    return `${name} ${turn}: ${await (await fetch(`${urls.tools}/${name}`)).text()}`;
  });
  return tracer.withSpan('agent', { type: 'agent' }, async (question: string) => {
    const messages = [question];
    for (let turn = 0; ; turn++) {
      const tools = await model(prompt, [...messages]);
      if (tools.length === 0) return messages;
      await Promise.all(tools.map(async (name) => messages.push(await tool(name, turn))));
    }
  });
}

describe('an agent with parallel tools', () => {
  let modelRequests: string[];
  let toolRequests: string[];
  let servers: Server[];
  let urls: { model: string; tools: string };

  beforeEach(async () => {
    [modelRequests, toolRequests] = [[], []];
    servers = [await startServer(modelRequests), await startServer(toolRequests)];
    urls = { model: toUrl(servers[0]!), tools: toUrl(servers[1]!) };
  });

  afterEach(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('is the same fifty times out of fifty, when nothing changed', async () => {
    const recorded = createTestTracer();
    const agent = createAgent(recorded.tracer, urls, 'v1');
    for (let n = 0; n < 50; n++) await agent(`question ${n}`);
    modelRequests.length = toolRequests.length = 0;
    const service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const run = await tracer.replay('agent', createAgent(tracer, urls, 'v1'), {
      mock: 'all',
      network: 'deny',
    });
    await service.close();
    expect(run.totals).toMatchObject({ items: 50, same: 50, diverged: 0 });
    expect(run.ranLive).toEqual({});
    expect([modelRequests, toolRequests]).toEqual([[], []]);
  });

  it('calls only the model when its prompt changed and it is live: its tools are mocked', async () => {
    const recorded = createTestTracer();
    await createAgent(recorded.tracer, urls, 'v1')('why');
    modelRequests.length = toolRequests.length = 0;
    const service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const run = await tracer.replay('agent', createAgent(tracer, urls, 'v2'), {
      mock: 'all',
      live: ['llm'],
      network: 'deny',
    });
    await service.close();
    expect(run.items).toMatchObject([{ verdict: 'same' }]);
    expect(run.items[0]!.divergences.map(({ kind, path }) => [kind, path])).toEqual([
      ['changed_arguments', ['model']],
      ['changed_arguments', ['model']],
      ['changed_arguments', ['model']],
    ]);
    expect(run.items[0]).not.toHaveProperty('deniedConnections');
    expect(run.ranLive).toEqual({ model: 3 });
    expect([modelRequests.length, toolRequests]).toEqual([3, []]);
  });
});
