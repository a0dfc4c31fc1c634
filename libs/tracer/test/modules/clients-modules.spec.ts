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
  const OpenAI = await load('openai');
  const { tracer, spans } = createTestTracer();
  const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: env.MODEL_URL, maxRetries: 0 }));
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hm?' }] };
  await client.chat.completions.create(body);
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true }));
  await client.chat.completions.stream(body).finalContent();
`;

const OTHERS = `
  const anthropicPackage = await load('@anthropic-ai/sdk');
  const Anthropic = anthropicPackage.default ?? anthropicPackage;
  const { GoogleGenAI } = await load('@google/genai');
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  const { McpServer } = await load('@modelcontextprotocol/sdk/server/mcp.js');
  const { InMemoryTransport } = await load('@modelcontextprotocol/sdk/inMemory.js');
  const { tracer, spans } = createTestTracer();
  const anthropic = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: env.HOST_URL }));
  await anthropic.messages.stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hm?' }] }).finalText();
  const google = tracer.wrapClient(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: env.HOST_URL } }));
  await google.models.generateContent({ model: 'm', contents: 'Hm?' });
  for await (const chunk of await google.models.generateContentStream({ model: 'm', contents: 'Hm?' }));
  const mcp = tracer.wrapMcpClient(new Client({ name: 'c', version: '1' }));
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool('look', {}, () => ({ content: [] }));
  await server.connect(there);
  await mcp.connect(here);
  await mcp.callTool({ name: 'look' });
  console.log(JSON.stringify(spans.map(({ trace_function_key, status }) => trace_function_key + ' ' + status)));
`;

describe('wrapped clients outside Jest', () => {
  it.each(['cjs', 'esm'] as const)('of other vendors are recorded, as %s', async (kind) => {
    const run = await runScript(kind, applicationWithPackages(), OTHERS, { HOST_URL: models.url });
    expect(parseResult(run)).toEqual([
      'anthropic.messages.create ok',
      'google.models.generateContent ok',
      'google.models.generateContentStream ok',
      'mcp.callTool.look ok',
    ]);
  });

  it.each(['cjs', 'esm'] as const)('are recorded, as %s', async (kind) => {
    const body = `${RUN} console.log(JSON.stringify(spans.map(({ status }) => status)));`;
    const run = await runScript(kind, applicationWithPackages(), body, { MODEL_URL: `${models.url}/v1` });
    expect(parseResult(run)).toEqual(['ok', 'ok', 'ok']);
  });

  const openai = `
      const OpenAI = await load('openai');
      const client = new OpenAI({ apiKey: 'k', baseURL: env.HOST_URL + '/v1', maxRetries: 0 });
      const body = { model: 'm', messages: [] };`;
  const anthropic = `
      const found = await load('@anthropic-ai/sdk');
      const client = new (found.default ?? found)({ apiKey: 'k', baseURL: env.HOST_URL, maxRetries: 0 });
      const body = { model: 'm', max_tokens: 9, messages: [] };`;
  const google = `
      const { GoogleGenAI } = await load('@google/genai');
      const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: env.HOST_URL } });
      const body = { model: 'm', contents: 'Hm?' };`;

  it.each([
    ['a request', openai, 'void client.chat.completions.create(body);'],
    ['a request that is parsed', openai, 'void client.chat.completions.parse(body);'],
    ['a helper that streams', openai, 'client.chat.completions.stream(body);'],
    ['a request to Anthropic', anthropic, 'void client.messages.create(body);'],
    ['a helper of Anthropic', anthropic, 'client.messages.stream(body);'],
    ['a request to Google', google, 'void client.models.generateContent(body);'],
    ['a stream of Google', google, 'void client.models.generateContentStream(body);'],
  ])(
    'leave a failure of %s that nobody waits for as unhandled as it is without a tracer',
    async (_, client, call) => {
      const body = (wrap: string): string => `
      ${client}
      process.on('unhandledRejection', (error) => console.log('unhandled', error.message));
      ${wrap}
      ${call}
    `;
      const application = applicationWithPackages();
      models.reply = () => ({ status: 500 });
      const env = { HOST_URL: models.url };
      const traced = await runScript(
        'cjs',
        application,
        body('createTestTracer().tracer.wrapClient(client);'),
        env,
      );
      const bare = await runScript('cjs', application, body(''), env);
      expect(traced.stdout).toContain('unhandled');
      expect(traced.stdout).toBe(bare.stdout);
    },
  );

  it('throw nothing that the application has handled', async () => {
    models.reply = () => ({ status: 500 });
    const body = `
      const OpenAI = await load('openai');
      const client = createTestTracer().tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: env.MODEL_URL, maxRetries: 0 }));
      const body = { model: 'm', messages: [] };
      await client.chat.completions.create(body).catch(() => undefined);
      await client.chat.completions.parse(body).catch(() => undefined);
      await client.chat.completions.create(body).withResponse().catch(() => undefined);
      await client.chat.completions.create(body).asResponse().catch(() => undefined);
      await client.responses.create({ model: 'm', input: '', stream: true }).catch(() => undefined);
      await client.chat.completions.stream(body).done().catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      console.log('"went on"');
    `;
    const run = await runScript('esm', applicationWithPackages(), body, { MODEL_URL: `${models.url}/v1` });
    expect(parseResult(run)).toBe('went on');
  });
});
