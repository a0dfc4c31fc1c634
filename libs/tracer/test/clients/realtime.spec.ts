import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { RealtimeAgent, RealtimeSession, tool } from '@openai/agents/realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS as OpenAIBetaRealtimeWS } from 'openai/beta/realtime/ws';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { createTestTracer, type TestTracer } from '../../src/testing.js';

const USAGE = {
  total_tokens: 40,
  input_tokens: 30,
  output_tokens: 10,
  input_token_details: { text_tokens: 10, audio_tokens: 20, cached_tokens: 5 },
  output_token_details: { text_tokens: 4, audio_tokens: 6 },
};

let server: WebSocketServer;

/** Answers each request for a response: by a call of the tool, then by text. */
function serve(socket: WebSocket): void {
  let responses = 0;
  const send = (event: object): void => {
    socket.send(JSON.stringify({ event_id: 'e', ...event }));
  };
  send({ type: 'session.created', session: { type: 'realtime', model: 'gpt-realtime' } });
  socket.on('message', (data: Buffer) => {
    const { type } = JSON.parse(data.toString()) as { type: string };
    if (type !== 'response.create') return;
    const id = `r${++responses}`;
    send({ type: 'response.created', response: { id, object: 'realtime.response', status: 'in_progress', output: [] } }); // prettier-ignore
    const call = { type: 'function_call', id: 'i1', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}', status: 'completed' }; // prettier-ignore
    const answer = { type: 'message', id: 'i2', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'A mild day.' }] }; // prettier-ignore
    const output = responses === 1 ? [call] : [answer];
    send({ type: 'response.output_item.done', response_id: id, output_index: 0, item: output[0] });
    send({ type: 'response.done', response: { id, object: 'realtime.response', status: 'completed', output, usage: USAGE } }); // prettier-ignore
  });
}

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', serve);
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => {
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

/** Asks about the weather, has the tool called, and closes. */
type Ask = (wrap: TestTracer['tracer']['wrapRealtime']) => Promise<string>;

const overWebSocket =
  (Session: typeof OpenAIRealtimeWS): Ask =>
  (wrap) =>
    new Promise((resolve, reject) => {
      const options = { createConnection: () => connect(port(), '127.0.0.1') };
      const client = new OpenAI({ apiKey: 'k' });
      const rt = wrap(new Session({ model: 'gpt-realtime', options }, client));
      const content = [{ type: 'input_text' as const, text: 'Weather?' }];
      rt.on('error', reject);
      rt.on('session.created', () => {
        rt.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
        rt.send({ type: 'response.create' });
      });
      rt.on('response.done', ({ response }) => {
        const [item] = response.output ?? [];
        if (item?.type === 'message') {
          rt.close();
          resolve(String(item.content[0]?.text));
          return;
        }
        const output = JSON.stringify({ text: 'mild' });
        rt.send({
          type: 'conversation.item.create',
          item: { type: 'function_call_output', call_id: 'c1', output },
        });
        rt.send({ type: 'response.create' });
      });
    });

const WAYS: Record<string, Ask> = {
  'openai/realtime/ws': overWebSocket(OpenAIRealtimeWS),
  // It sends and emits the same events under older types.
  'openai/beta/realtime/ws': overWebSocket(OpenAIBetaRealtimeWS as unknown as typeof OpenAIRealtimeWS),
  '@openai/agents': async (wrap) => {
    const weather = tool({
      name: 'weather',
      description: 'Weather',
      parameters: z.object({ city: z.string() }),
      execute: () => Promise.resolve({ text: 'mild' }),
    });
    const agent = new RealtimeAgent({ name: 'desk', instructions: 'Answer.', tools: [weather] });
    const session = wrap(new RealtimeSession(agent, { transport: 'websocket', model: 'gpt-realtime' }));
    const answered = new Promise<string>((resolve, reject) => {
      session.on('error', ({ error }) => {
        reject(new Error('the session failed', { cause: error }));
      });
      session.on('agent_end', (_context, _agent, output) => {
        if (output !== '') resolve(output);
      });
    });
    await session.connect({ apiKey: 'k', url: `ws://127.0.0.1:${port()}` });
    session.sendMessage('Weather?');
    const output = await answered;
    session.close();
    return output;
  },
};

describe.each(Object.entries(WAYS))('a wrapped session of %s', (_, ask) => {
  it('answers as the bare one, and is recorded with its responses, its tool and the usage of audio', async () => {
    const { tracer, spans } = createTestTracer();
    const bare = await ask((session) => session);
    expect(await ask((session) => tracer.wrapRealtime(session))).toBe(bare);
    const session = spans.find(({ type }) => type === 'agent')!;
    expect(session).toMatchObject({ trace_function_key: 'realtime.session', status: 'ok' });
    const inside = spans.filter(({ parent_id }) => parent_id === session.id);
    expect(inside.map(({ trace_function_key: key }) => key)).toEqual([
      'realtime.response',
      'realtime.tool.weather',
      'realtime.response',
    ]);
    expect(inside[0]).toMatchObject({
      status: 'ok',
      span_data: {
        prompt: 'user:\nWeather?',
        output: [{ type: 'function_call', name: 'weather' }],
        usage: {
          model: 'gpt-realtime',
          input_tokens: 30,
          output_tokens: 10,
          cached_input_tokens: 5,
          input_audio_tokens: 20,
          output_audio_tokens: 6,
        },
      },
    });
    expect(inside[1]).toMatchObject({ span_data: { input: [{ city: 'Oslo' }], output: { text: 'mild' } } });
  });
});

describe('wrapRealtime', () => {
  it('rejects a value that is not a session', () => {
    expect(() => createTestTracer().tracer.wrapRealtime({})).toThrow(
      expect.objectContaining({ code: 'TRACER_INVALID_OPTION' }),
    );
  });
});
