import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { applicationFolder } from './baml-copy.js';
import { parseResult, runScript } from './run-script.js';

let models: ModelServer;

beforeAll(async () => {
  models = await startModelServer();
});
afterAll(() => models.close());

function applicationWithPackages(): string {
  const application = applicationFolder();
  symlinkSync(join(__dirname, '../../../../node_modules'), join(application, 'node_modules'), 'junction');
  return application;
}

const RUN = `
  const agents = await load('@openai/agents');
  const { tracer, spans } = createTestTracer();
  agents.setTraceProcessors([tracer.getAgentsTracingProcessor()]);
  const provider = new agents.OpenAIProvider({ apiKey: 'sk-secret', baseURL: env.MODEL_URL, useResponses: true });
  const agent = new agents.Agent({ name: 'Answerer', model: await provider.getModel('gpt-4.1-mini') });
  const answer = tracer.withSpan('answer', async (text) => (await agents.run(agent, text)).finalOutput);
  const output = await answer('hi');
  const names = (parent) => spans.filter(({ parent_id }) => parent_id === parent)
    .flatMap(({ id, name }) => [name, ...names(id)]);
  console.log(JSON.stringify({ output, names: names(undefined), traces: new Set(spans.map(({ trace_id }) => trace_id)).size }));
`;

describe('agents outside Jest', () => {
  it.each(['cjs', 'esm'] as const)('are recorded as one tree with spans of ours, as %s', async (kind) => {
    const run = await runScript(kind, applicationWithPackages(), RUN, { MODEL_URL: `${models.url}/v1` });
    expect(parseResult(run)).toEqual({
      output: 'Hello.',
      names: ['answer', 'Agent workflow', 'Answerer', 'turn 1', 'response'],
      traces: 1,
    });
  });

  it('end on SIGTERM as they do without a tracer: no listener of ours keeps the process', async () => {
    const body = (setUp: string): string => `
      const agents = await load('@openai/agents');
      ${setUp}
      setInterval(() => undefined, 1000);
      process.kill(process.pid, 'SIGTERM');
    `;
    const application = applicationWithPackages();
    const traced = await runScript(
      'cjs',
      application,
      body('agents.setTraceProcessors([createTestTracer().tracer.getAgentsTracingProcessor()]);'),
    );
    const untraced = await runScript('cjs', application, body('agents.setTraceProcessors([]);'));
    expect([traced.exitCode, traced.signal]).toEqual([untraced.exitCode, untraced.signal]);
  });
});
