import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ClaudeServer {
  readonly url: string;
  requests: number;
  /** Status of all later answers. */
  status: number;
  close(): void;
}

interface Request {
  readonly model: string;
  readonly messages: unknown;
  readonly tools?: readonly { readonly name: string }[];
}

const USAGE = { input_tokens: 12, cache_read_input_tokens: 3, cache_creation_input_tokens: 0 };

function events({ model, messages, tools = [] }: Request, count: number): object[] {
  const tool = tools.find(({ name }) => name.endsWith('weather'));
  const asks = tool !== undefined && !JSON.stringify(messages).includes('tool_result');
  const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model, content: [] };
  const usage = { ...USAGE, output_tokens: 1 };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: asks
        ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} }
        : { type: 'text', text: '' },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: asks
        ? { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' }
        : { type: 'text_delta', text: 'A mild day in Oslo.' },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: asks ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ];
}

/** Anthropic's messages endpoint on loopback: calls the tool `weather` once, then answers. */
export async function startClaudeServer(): Promise<ClaudeServer> {
  const http = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const isMessage = request.method === 'POST' && /^\/v1\/messages(\?|$)/.test(request.url ?? '');
        if (!isMessage || server.status !== 200) {
          const error = { type: 'invalid_request_error', message: 'no such model' };
          response
            .writeHead(isMessage ? server.status : 404, { 'content-type': 'application/json' })
            .end(JSON.stringify({ type: 'error', error }));
          return;
        }
        server.requests++;
        const body = JSON.parse(Buffer.concat(parts).toString()) as Request;
        const frames = events(body, server.requests).map(
          (event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`,
        );
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(frames.join(''));
      });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const server: ClaudeServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests: 0,
    status: 200,
    close: () => {
      http.close();
      http.closeAllConnections();
    },
  };
  return server;
}
