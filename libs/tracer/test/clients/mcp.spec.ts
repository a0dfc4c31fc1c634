import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createTestTracer } from '../../src/testing.js';
import { CITY, describeMcp, type McpUnderTest, weatherServer } from './mcp-contract.js';
import { startMcpServer } from './mcp-server.js';
import { recordAndReplay } from './replayed-agent.js';

const NEWEST: McpUnderTest = {
  version: 'sdk 1.32',
  ...{ Client, McpServer, InMemoryTransport, cityInput: CITY.shape },
};

describeMcp(NEWEST);

describe('a wrapped client of the Model Context Protocol over HTTP', () => {
  it('is answered in a replay, its connection too: nothing connects', async () => {
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
