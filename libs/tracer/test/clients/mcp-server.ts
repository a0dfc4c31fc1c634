import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of the protocol on loopback, which makes a new one for each request. */
export async function startMcpServer(
  make: () => McpServer,
): Promise<{ url: string; close(): Promise<void> }> {
  const http = createServer((request, response) => {
    void (async () => {
      const transport = new StreamableHTTPServerTransport({});
      await make().connect(transport);
      await transport.handleRequest(request, response);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      }),
  };
}
