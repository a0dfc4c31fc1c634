import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatServer {
  readonly url: string;
  requests: number;
  close(): void;
}

interface Request {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string }[];
}

const TEXT = 'A mild day in Oslo.';
const CALL = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
const USAGE = { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 };

function answer({ stream = false, messages }: Request, count: number, response: ServerResponse): void {
  const hasResult = messages.some(({ role }) => role === 'tool');
  const head = { id: `chat-${count}`, created: 1, model: 'm-1' };
  const finish_reason = hasResult ? 'stop' : 'tool_calls';
  if (!stream) {
    const message = hasResult ? { content: TEXT } : { content: null, tool_calls: [CALL] };
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage: USAGE }));
    return;
  }
  const message = hasResult ? { content: TEXT } : { tool_calls: [{ index: 0, ...CALL }] };
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', ...message }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE },
  ];
  const lines = chunks.map((chunk) => JSON.stringify({ ...head, object: 'chat.completion.chunk', ...chunk }));
  response.setHeader('content-type', 'text/event-stream');
  response.end([...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join(''));
}

/** OpenAI's chat endpoint on loopback: calls the tool `weather` once, then answers. */
export async function startChatServer(): Promise<ChatServer> {
  const http = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        server.requests++;
        answer(JSON.parse(Buffer.concat(parts).toString()) as Request, server.requests, response);
      });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const server: ChatServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    requests: 0,
    close: () => {
      http.close();
      http.closeAllConnections();
    },
  };
  return server;
}
