import { z } from 'zod/v3';
import { CITY, describeMcp, type McpUnderTest } from '../../libs/tracer/test/clients/mcp-contract.js';

/** The versions are installed only in this folder, so their types are unknown. */
const load = (name: string): McpUnderTest => jest.requireActual<McpUnderTest>(name);

const { Client } = load('mcp-sdk-v1.13/client/index.js');
const { McpServer } = load('mcp-sdk-v1.13/server/mcp.js');
const { InMemoryTransport } = load('mcp-sdk-v1.13/inMemory.js');
describeMcp({ version: 'sdk 1.13', Client, McpServer, InMemoryTransport, cityInput: { city: z.string() } });

describeMcp({
  version: 'client 2.4',
  Client: load('mcp-client-v2').Client,
  McpServer: load('mcp-server-v2').McpServer,
  InMemoryTransport: load('mcp-client-v2').InMemoryTransport,
  cityInput: CITY,
  takesOptionsSecond: true,
});
