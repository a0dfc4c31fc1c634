/** CPU of one way to call a model, until everything is delivered: `node client-child.mjs <arm> <kind> <requests> <url>`. */
import OpenAI from 'openai';
import { Tracer } from '@dacapo/tracer';
import { answersAtOnce } from './model-answers.mjs';
import { chat } from './values.mjs';

const [arm, kind, requestCount, url] = process.argv.slice(2);
const stream = kind === 'stream';
const CHUNKS = 50;

const tracer = new Tracer({
  apiKey: 'bench',
  serviceUrl: url,
  logger: { warn: (message) => console.error(message) },
});
const client = new OpenAI({ apiKey: 'k', fetch: answersAtOnce(stream ? CHUNKS : 0) });
if (arm === 'wrapClient') tracer.wrapClient(client);
const ask = (body) => client.chat.completions.create(body);
const call = arm === 'withSpan' ? tracer.withSpan('ask', { type: 'llm' }, ask) : ask;

async function run(requests) {
  for (let index = 0; index < requests; index++) {
    const answer = await call({ model: 'm', temperature: 0.2, stream, seed: index, messages: chat(4000) });
    if (stream) for await (const one of answer) if (one.id === '') throw new Error('no chunk');
  }
  if (!(await tracer.flush(60_000))) throw new Error(`not all delivered: ${JSON.stringify(tracer.stats())}`);
}

const requests = Number(requestCount);
await run(Math.ceil(requests / 4));
const before = process.cpuUsage();
await run(requests);
const { user, system } = process.cpuUsage(before);
process.send({ cpuUsARequest: (user + system) / requests }, () => process.exit(0));
