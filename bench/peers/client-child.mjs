/** CPU of one wrapper of OpenAI's client until everything is delivered: `node client-child.mjs <arm> <chunks> <requests> <url>`. */
import OpenAI from 'openai';
import { answersAtOnce } from '../tracer/model-answers.mjs';
import { chat } from '../tracer/values.mjs';

const [arm, chunkCount, requestCount, url] = process.argv.slice(2);
const [chunks, requests] = [Number(chunkCount), Number(requestCount)];
const { wrapWith } = await import(`./clients/${arm}.mjs`);
const { wrap, finish } = wrapWith(url);
const client = wrap(new OpenAI({ apiKey: 'k', fetch: answersAtOnce(chunks) }));

async function run(count) {
  for (let index = 0; index < count; index++) {
    const answer = await client.chat.completions.create({
      model: 'm',
      temperature: 0.2,
      stream: chunks > 0,
      seed: index,
      messages: chat(4000),
    });
    if (chunks === 0) continue;
    let read = 0;
    for await (const { id } of answer) if (id !== '') read++;
    if (read !== chunks) throw new Error(`${read} chunks of ${chunks}`);
  }
  await finish();
}

await run(Math.ceil(requests / 4));
const before = process.cpuUsage();
await run(requests);
const { user, system } = process.cpuUsage(before);
process.send({ cpuUsARequest: (user + system) / requests }, () => process.exit(0));
