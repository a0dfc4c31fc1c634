import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { startStoredSpansService } from '../service/stored-spans-service.js';
import { CITY, describeMcp, type McpUnderTest, weatherServer } from './mcp-contract.js';
import { startMcpServer } from './mcp-server.js';
import { recordAndReplay } from './replayed-agent.js';

const NEWEST: McpUnderTest = {
  version: 'sdk 1.32',
  Client,
  McpServer,
  InMemoryTransport,
  cityInput: CITY.shape,
};

describeMcp(NEWEST);

describe('a wrapped client of the Model Context Protocol over HTTP', () => {
  it('is mocked in a replay, with its connection: nothing connects', async () => {
    const server = await startMcpServer(() => weatherServer(NEWEST, createTestTracer()));
    const { run, item, connections } = await recordAndReplay(
      server.url,
      (tracer, url) => async () => {
        const own = tracer.wrapMcpClient(new Client({ name: 'desk', version: '1' }));
        await own.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
        const { tools } = await own.listTools();
        const answer = await own.callTool({ name: tools[0]!.name, arguments: { city: 'Oslo' } });
        await own.close();
        return answer;
      },
      { network: 'deny' },
    );
    await server.close();
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(JSON.stringify(item.result)).toContain('Oslo: mild');
    expect([run.ranLive, connections]).toEqual([{}, 0]);
  });
});

describe('tasks of a wrapped client of the Model Context Protocol', () => {
  const taskStore = new InMemoryTaskStore();
  // It has timers.
  afterAll(() => {
    taskStore.cleanup();
  });
  const serverWithTask = (): McpServer => {
    const server = new McpServer(
      { name: 'weather', version: '1' },
      {
        capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore,
      },
    );
    server.experimental.tasks.registerToolTask(
      'forecast',
      { inputSchema: CITY.shape, execution: { taskSupport: 'required' } },
      {
        createTask: async ({ city }, { taskStore: store }) => {
          const task = await store.createTask({ ttl: 60_000, pollInterval: 5 });
          const content = [{ type: 'text' as const, text: `${city}: mild` }];
          await store.storeTaskResult(task.taskId, 'completed', { content });
          return { task };
        },
        getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
        getTaskResult: async (_, { taskId, taskStore }) =>
          CallToolResultSchema.parse(await taskStore.getTaskResult(taskId)),
      },
    );
    return server;
  };

  it('are recorded with each message, and mocked in a replay without a server', async () => {
    const recorded = createTestTracer();
    const agent = (tracer: Tracer, connect: (client: Client) => Promise<void>) =>
      tracer.withSpan('agent', async () => {
        const client = tracer.wrapMcpClient(new Client({ name: 'desk', version: '1' }));
        await connect(client);
        const { tasks } = client.experimental;
        const received: unknown[] = [];
        let id = '';
        const call = { name: 'forecast', arguments: { city: 'Oslo' } };
        for await (const message of tasks.callToolStream(call, CallToolResultSchema, { task: {} })) {
          if (message.type === 'taskCreated') id = message.task.taskId;
          received.push(message.type === 'result' ? message.result.content : message.type);
        }
        const { status } = await tasks.getTask(id);
        return [...received, status, await tasks.getTaskResult(id, CallToolResultSchema)];
      });
    const first = await agent(recorded.tracer, async (client) => {
      const [one, other] = InMemoryTransport.createLinkedPair();
      await serverWithTask().connect(other);
      await client.connect(one);
    })();
    expect(JSON.stringify(first)).toMatch(/taskCreated.*Oslo: mild.*completed.*Oslo: mild/);
    expect(recorded.spans.map(({ trace_function_key: key, status }) => [key, status])).toEqual([
      ['mcp.connect', 'ok'],
      ['mcp.callToolStream.forecast', 'ok'],
      ['mcp.getTask', 'ok'],
      ['mcp.getTaskResult', 'ok'],
      ['agent', 'ok'],
    ]);
    const service = await startStoredSpansService(recorded.spans);
    const again = createTestTracer({ serviceUrl: service.url });
    const replayed = agent(again.tracer, (client) => client.connect(InMemoryTransport.createLinkedPair()[0]));
    const run = await again.tracer.replay('agent', replayed, { mock: 'all' });
    await service.close();
    expect(run.items).toMatchObject([{ verdict: 'same', divergences: [] }]);
    expect(run.ranLive).toEqual({});
  });
});
