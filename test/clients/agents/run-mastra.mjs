/**
 * Runs a Mastra agent, bare and wrapped, and prints its answers and the records. With `SERVICE_URL`, replays the records while the model
 * server is down. Mastra loads its parts by `import()`, which Jest does not support.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { createTestTracer } from '../../../libs/tracer/dist/esm/testing.js';

const { MASTRA, MODEL_URL, SERVICE_URL, STREAMED } = process.env;
const { Agent } = await import(`${MASTRA}/agent`);
const { createTool } = await import(`${MASTRA}/tools`);
const lookUps = [];

function makeAgent(baseURL) {
  const weather = createTool({
    id: 'weather',
    description: 'Weather',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      lookUps.push(city);
      return { text: `${city}: mild` };
    },
  });
  const model = createOpenAI({ apiKey: 'k', baseURL }).chat('gpt-4o');
  return new Agent({ id: 'desk', name: 'desk', instructions: 'Answer.', model, tools: { weather } });
}

async function ask(agent) {
  if (STREAMED !== 'true') return (await agent.generate('Weather in Oslo?')).text;
  const { textStream } = await agent.stream('Weather in Oslo?');
  let text = '';
  for await (const piece of textStream) text += piece;
  return text;
}

async function catchError(agent) {
  const options = { modelSettings: { maxRetries: 0 } };
  return agent.generate('Weather?', options).then(
    () => undefined,
    ({ message }) => message,
  );
}

async function record() {
  const { tracer, spans } = createTestTracer();
  const bare = await ask(makeAgent(MODEL_URL));
  const agent = makeAgent(MODEL_URL);
  const isSame = tracer.wrapMastraAgent(agent) === agent;
  const answer = await tracer.withSpan('support', () => ask(agent))();
  const failed = createTestTracer();
  const errors = [
    await catchError(makeAgent('http://127.0.0.1:9')),
    await catchError(failed.tracer.wrapMastraAgent(makeAgent('http://127.0.0.1:9'))),
  ];
  const failedStatus = failed.spans.find(({ type }) => type === 'agent')?.status;
  return { bare, answer, isSame, spans, errors, failedStatus };
}

async function replay() {
  const { tracer } = createTestTracer({ serviceUrl: SERVICE_URL });
  const again = tracer.withSpan('support', () =>
    ask(tracer.wrapMastraAgent(makeAgent('http://127.0.0.1:9'))),
  );
  const { items, ranLive } = await tracer.replay('support', again, { mock: 'all' });
  return {
    items: items.map(({ verdict, divergences, error }) => ({ verdict, divergences, error })),
    ranLive,
    lookUps,
  };
}

process.stdout.write(JSON.stringify(SERVICE_URL === undefined ? await record() : await replay()));
process.exit(0);
