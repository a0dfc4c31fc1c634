import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { invokedBody } from './bedrock-bodies.js';
import { eventFrame } from './event-stream.js';

export interface VendorServer {
  readonly url: string;
  requests: number;
  /** Status of all later answers. */
  status: number;
  close(): void;
}

type Body = { readonly stream?: boolean };

const PIECES = ['A mild ', 'day in ', 'Oslo.'];
const TEXT = PIECES.join('');
const AMOUNTS = { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 };
const TOKENS = {
  billed_units: { input_tokens: 5, output_tokens: 9 },
  tokens: { input_tokens: 12, output_tokens: 9 },
};
const CONVERSED = { inputTokens: 12, outputTokens: 9, totalTokens: 21 };

const sse = (events: readonly object[]): string =>
  events
    .map(
      (data) => `event: ${(data as { type?: string }).type ?? 'message'}\ndata: ${JSON.stringify(data)}\n\n`,
    )
    .join('');

function chat(): string {
  const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm-1' };
  const choice = (content: string, finish_reason: string | null) => ({
    index: 0,
    delta: { role: 'assistant', content },
    finish_reason,
  });
  const chunks = [
    ...PIECES.map((piece) => ({ ...head, choices: [choice(piece, null)] })),
    { ...head, choices: [choice('', 'stop')], usage: AMOUNTS },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

const wholeChat = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm-1',
  system_fingerprint: null,
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
  usage: AMOUNTS,
};

const cohere = sse([
  {
    type: 'message-start',
    id: 'c1',
    delta: { message: { role: 'assistant', content: [], tool_calls: [], citations: [] } },
  },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
  ...PIECES.map((text) => ({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } })),
  { type: 'content-end', index: 0 },
  { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: TOKENS } },
]);
const wholeCohere = {
  id: 'c1',
  message: { role: 'assistant', content: [{ type: 'text', text: TEXT }] },
  finish_reason: 'COMPLETE',
  usage: TOKENS,
};

const ollamaEnd = { done: true, done_reason: 'stop', prompt_eval_count: 12, eval_count: 9 };
const ollama = [
  ...PIECES.map((content) => ({ model: 'm-1', message: { role: 'assistant', content }, done: false })),
  { model: 'm-1', message: { role: 'assistant', content: '' }, ...ollamaEnd },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
const wholeOllama = { model: 'm-1', message: { role: 'assistant', content: TEXT }, ...ollamaEnd };

const converse = Buffer.concat([
  eventFrame('messageStart', { role: 'assistant' }),
  ...PIECES.map((text) => eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
  eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
  eventFrame('messageStop', { stopReason: 'end_turn' }),
  eventFrame('metadata', { usage: CONVERSED, metrics: { latencyMs: 1 } }),
]);
const wholeConverse = {
  output: { message: { role: 'assistant', content: [{ text: TEXT }] } },
  stopReason: 'end_turn',
  usage: CONVERSED,
  metrics: { latencyMs: 1 },
};

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

function answer(path: string, { stream = false }: Body, response: ServerResponse): void {
  if (path.endsWith('/converse-stream'))
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).end(converse);
  else if (path.includes('/invoke')) {
    const type = path.endsWith('-stream') ? 'application/vnd.amazon.eventstream' : 'application/json';
    response.writeHead(200, { 'content-type': type }).end(invokedBody(path, PIECES));
  } else if (path.endsWith('/converse'))
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(wholeConverse));
  else if (path.endsWith('/api/chat'))
    response.writeHead(200, JSON_TYPE).end(stream ? ollama : JSON.stringify(wholeOllama));
  else if (path.endsWith('/v2/chat'))
    response.writeHead(200, stream ? EVENTS : JSON_TYPE).end(stream ? cohere : JSON.stringify(wholeCohere));
  else response.writeHead(200, stream ? EVENTS : JSON_TYPE).end(stream ? chat() : JSON.stringify(wholeChat));
}

/** A loopback server that speaks the formats of several vendors, each with the same answer. */
export async function startVendorServer(): Promise<VendorServer> {
  const http = createServer((request, response) => {
    server.requests++;
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (server.status === 200)
          answer(request.url ?? '', (text === '' ? {} : JSON.parse(text)) as Body, response);
        else response.writeHead(server.status, JSON_TYPE).end('{"message":"no such model"}');
      });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const server: VendorServer = {
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
