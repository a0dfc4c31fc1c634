/** CPU of one way to call a model, until everything is delivered: `node client-child.mjs <arm> <kind> <requests> <url>`. */
import OpenAI from 'openai';
import { Tracer } from '@dacapo/tracer';
import { chat, document } from './values.mjs';

const [arm, kind, requestCount, url] = process.argv.slice(2);
const stream = kind === 'stream';
const CHUNKS = 50;

const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage: { prompt_tokens: 900, completion_tokens: 500 },
};
const WHOLE = JSON.stringify({
  ...answer,
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: document(2000) } }],
});
const chunk = (delta) =>
  `data: ${JSON.stringify({ ...answer, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const EVENTS = `${Array.from({ length: CHUNKS }, () => chunk({ content: 'some forty characters of an answer here ' })).join('')}data: [DONE]\n\n`;

/** Responds in the process, because the cost of a connection would hide everything else. */
const answerAtOnce = async () =>
  stream
    ? new globalThis.Response(EVENTS, { headers: { 'content-type': 'text/event-stream' } })
    : new globalThis.Response(WHOLE, { headers: { 'content-type': 'application/json' } });

const tracer = new Tracer({
  apiKey: 'bench',
  serviceUrl: url,
  logger: { warn: (message) => console.error(message) },
});
const client = new OpenAI({ apiKey: 'k', fetch: answerAtOnce });
if (arm === 'wrapClient') tracer.wrapClient(client);
const ask = (body) => client.chat.completions.create(body);
const call = arm === 'withSpan' ? tracer.withSpan('ask', { type: 'llm' }, ask) : ask;

async function run(requests) {
  for (let index = 0; index < requests; index++) {
    const given = await call({ model: 'm', temperature: 0.2, stream, seed: index, messages: chat(4000) });
    if (stream) for await (const one of given) if (one.id === '') throw new Error('no chunk');
  }
  if (!(await tracer.flush(60_000))) throw new Error(`not all delivered: ${JSON.stringify(tracer.stats())}`);
}

const requests = Number(requestCount);
await run(Math.ceil(requests / 4));
const before = process.cpuUsage();
await run(requests);
const { user, system } = process.cpuUsage(before);
process.send({ cpuUsARequest: (user + system) / requests }, () => process.exit(0));
