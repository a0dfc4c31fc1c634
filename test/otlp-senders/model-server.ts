import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const CALL = { id: 'c1', type: 'function', function: { name: 'track', arguments: '{"id":7}' } };
const MODEL = 'gpt-4o-2024-08-06';

/** Starts a model that calls the tool first, and then answers. */
export async function startModel(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { role: string }[] };
      const isAnswer = messages.some(({ role }) => role === 'tool');
      const message = isAnswer
        ? { role: 'assistant', content: 'In Berlin' }
        : { role: 'assistant', content: null, tool_calls: [CALL] };
      const body = {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: MODEL,
        choices: [{ index: 0, finish_reason: isAnswer ? 'stop' : 'tool_calls', message, logprobs: null }],
        usage: {
          prompt_tokens: isAnswer ? 40 : 20,
          completion_tokens: isAnswer ? 3 : 8,
          total_tokens: isAnswer ? 43 : 28,
          prompt_tokens_details: { cached_tokens: 4 },
        },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
