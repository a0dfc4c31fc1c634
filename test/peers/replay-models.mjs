/**
 * `node replay-models.mjs esm|cjs <service URL> <API key>`, in an application with `ai`, `@ai-sdk/openai`, `@langchain/openai`, its
 * `openai`, and perhaps `@openai/agents`: records agents with models from `wrapModel` and an agent around a wrapped client, shuts
 * down the model server, and replays them with all calls mocked. Fails unless all outcomes are the same and the server received
 * no further request.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , kind, serviceUrl, apiKey] = process.argv;
const require = createRequire(join(process.cwd(), 'application.js'));
const load = kind === 'cjs' ? require : (name) => import(name);
const { Tracer } = await load('@dacapo/tracer');
const ai = await load('ai');
const { createOpenAI } = await load('@ai-sdk/openai');
const { ChatOpenAI } = await load('@langchain/openai');
const { z } = await load('zod');
const { default: OpenAI } = await load('openai');
const agents = isInstalled('@openai/agents') ? await load('@openai/agents') : undefined;

function isInstalled(name) {
  try {
    return require.resolve(name) !== '';
  } catch {
    return false;
  }
}

let requests = 0;
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    requests += 1;
    answer(JSON.parse(text), response);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;

function answer({ messages, tools, stream }, response) {
  const messagesText = JSON.stringify(messages);
  if (messagesText.includes('Slow')) return;
  if (messagesText.includes('Fail')) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ error: { message: 'too long', type: 'invalid_request_error', code: 'long' } }),
    );
    return;
  }
  const facts = { id: 'r', created: 1, model: 'm-1' };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const requestsTool = tools !== undefined && !messagesText.includes('mild');
  const call = { id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
  const finish_reason = requestsTool ? 'tool_calls' : 'stop';
  if (!stream) {
    const message = requestsTool ? { content: null, tool_calls: [call] } : { content: 'A mild day.' };
    const choices = [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...facts, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (fields) =>
    response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', ...fields })}\n\n`);
  const deltas = requestsTool
    ? [{ tool_calls: [{ index: 0, ...call }] }]
    : [{ content: 'A ' }, { content: 'mild day.' }];
  if (messagesText.includes('Break')) {
    send({ choices: [{ index: 0, delta: { role: 'assistant', content: 'A ' }, finish_reason: null }] });
    response.end('data: {"error":{"message":"overloaded","code":"busy"}}\n\n');
    return;
  }
  for (const delta of deltas)
    send({ choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

const tracer = new Tracer({ apiKey, serviceUrl });
const aiModel = () => {
  const openai = createOpenAI({ baseURL, apiKey: 'k' });
  return tracer.wrapModel(openai.chat('m'));
};
const chatModel = () =>
  tracer.wrapModel(new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration: { baseURL } }));
const schema = z.object({ city: z.string() });
const isFirst = ai.stepCountIs === undefined;
const weather = ai.tool({ [isFirst ? 'parameters' : 'inputSchema']: schema, execute: async () => 'mild' });
const steps = isFirst ? { maxSteps: 3 } : { stopWhen: ai.stepCountIs(3) };

const AGENTS = {
  'ai-tool': async (prompt) => {
    const { text, steps: made } = await ai.generateText({
      model: aiModel(),
      prompt,
      tools: { weather },
      ...steps,
    });
    return [text, made.length];
  },
  'ai-stream': async (prompt) => {
    const parts = [];
    for await (const part of ai.streamText({ model: aiModel(), prompt, tools: { weather }, ...steps })
      .fullStream)
      parts.push(part.type === 'text-delta' ? (part.text ?? part.textDelta) : part.type);
    return parts;
  },
  'ai-error': async () => {
    try {
      return await ai.generateText({ model: aiModel(), prompt: 'Fail', maxRetries: 0 });
    } catch (error) {
      return [ai.APICallError.isInstance(error), error.statusCode, error.message];
    }
  },
  'langchain-tool': async (question) => {
    const bound = chatModel().bindTools([{ name: 'weather', description: 'The weather', schema }]);
    const answered = await bound.invoke(question);
    const [{ name, args, id }] = answered.tool_calls;
    const reply = await bound.invoke([
      ['user', question],
      answered,
      { role: 'tool', content: 'mild', tool_call_id: id },
    ]);
    return [name, args, reply.content];
  },
  'langchain-stream': async (question) => {
    const chunks = [];
    for await (const { content } of await chatModel().stream(question)) chunks.push(content);
    return chunks;
  },
  'langchain-error': async () => {
    try {
      return await chatModel().invoke('Fail');
    } catch (error) {
      return [error.constructor.name, error.status, error.message];
    }
  },
};

const newClient = () => new OpenAI({ baseURL, apiKey: 'k', maxRetries: 0 });
const TOOL = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
};
AGENTS.own = async (question) => {
  const client = tracer.wrapClient(newClient());
  const messages = [{ role: 'user', content: question }];
  for (;;) {
    const answered = await client.chat.completions.create({ model: 'm', messages, tools: [TOOL] });
    const [{ message }] = answered.choices;
    if (message.tool_calls === undefined) return message.content;
    messages.push(
      message,
      ...message.tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'mild' })),
    );
  }
};
/** Aborts the slower of two requests, and a request with a timeout. */
AGENTS['own-aborts'] = async () => {
  const client = tracer.wrapClient(newClient());
  const loser = new globalThis.AbortController();
  const ask = (content, signal) =>
    client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content }] }, { signal });
  const lost = ask('Slow 1', loser.signal).catch((error) => error);
  const won = await Promise.race([lost, ask('Fast')]);
  loser.abort();
  const late = await ask('Slow 2', AbortSignal.timeout(50)).catch((error) => error);
  const errors = [await lost, late].map((error) => [
    error instanceof OpenAI.APIUserAbortError,
    error.message,
  ]);
  return [won.choices[0].message.content, errors];
};
/** The server ends the stream with an error. */
AGENTS['own-stream-error'] = async () => {
  const client = tracer.wrapClient(newClient());
  const parts = [];
  try {
    const messages = [{ role: 'user', content: 'Break' }];
    for await (const { choices } of await client.chat.completions.create({
      model: 'm',
      messages,
      stream: true,
    }))
      parts.push(choices[0]?.delta.content);
  } catch (error) {
    parts.push(error instanceof OpenAI.APIError, error.message, error.code);
  }
  return parts;
};
if (agents !== undefined) {
  const agent = () =>
    new agents.Agent({
      name: 'helper',
      model: tracer.wrapModel(new agents.OpenAIChatCompletionsModel(newClient(), 'm')),
      tools: [
        agents.tool({
          name: 'weather',
          description: 'The weather',
          parameters: schema,
          execute: async () => 'mild',
        }),
      ],
    });
  agents.setTracingDisabled(true);
  AGENTS['agents-tool'] = async (question) => (await agents.run(agent(), question)).finalOutput;
  AGENTS['agents-stream'] = async (question) => {
    const run = await agents.run(agent(), question, { stream: true });
    const types = [];
    for await (const event of run) types.push(event.type);
    return [types, run.finalOutput];
  };
}

const key = (name) => `${process.pid}-${name}`;
const outcomes = {};
for (const [name, agent] of Object.entries(AGENTS))
  outcomes[name] = await tracer.withSpan(key(name), { type: 'agent' }, agent)('Weather?');
assert.match(JSON.stringify(outcomes), /A mild day.*mild day.*A mild day.*mild day/);
assert.deepEqual(outcomes.own, 'A mild day.');
assert.deepEqual(outcomes['own-aborts'], ['A mild day.', [0, 1].map(() => [true, 'Request was aborted.'])]);
assert.deepEqual(outcomes['own-stream-error'], ['A ', true, 'overloaded', 'busy']);
await tracer.flush();
const recorded = requests;
server.closeAllConnections();
server.close();
await once(server, 'close');

for (const [name, agent] of Object.entries(AGENTS)) {
  const traced = tracer.withSpan(key(name), { type: 'agent' }, agent);
  const { items, ranLive } = await tracer.replay(key(name), traced, { mock: 'all', network: 'deny' });
  const facts = items.map(({ verdict, result, error, divergences }) => ({
    verdict,
    result,
    error,
    divergences,
  }));
  assert.deepEqual(
    facts,
    [{ verdict: 'same', result: outcomes[name], error: undefined, divergences: [] }],
    name,
  );
  assert.deepEqual(ranLive, {}, name);
}
await tracer.shutdown();
assert.equal(requests, recorded);
assert.equal(recorded, agents === undefined ? 15 : 19);
