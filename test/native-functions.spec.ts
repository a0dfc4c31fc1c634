import { setLogLevel } from '@boundaryml/baml/logging';
import { run } from '@dacapo/cli';
import { startCollector } from '@dacapo/collector';
import { Tracer } from '@dacapo/tracer';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { removeFolder } from './support/remove-folder.js';

const source = (instruction: string): string => `
client<llm> Main {
  provider openai
  options {
    model "gpt-4o-mini"
    api_key env.MODEL_KEY
    base_url env.MODEL_URL
  }
}

class Ticket {
  category "billing" | "technical"
  summary string
}

function ClassifyTicket(text: string, product: string?) -> Ticket {
  client Main
  prompt #"${instruction} {{ text }}"#
}
`;

const USE = `
import { Tracer } from '@dacapo/tracer';
import './native-functions.js';

export async function use(tracer: Tracer): Promise<'billing' | 'technical'> {
  const { category } = await tracer.call('ClassifyTicket', { text: 'Charged twice' });
  // @ts-expect-error text is missing
  await tracer.call('ClassifyTicket', { product: 'editor' });
  const other: { a: number } = await tracer.call<{ a: number }>('Other', { anything: 1 });
  const chosen = await tracer.call<boolean>(other.a > 1 ? 'A' : 'B', {});
  const untyped: unknown = await tracer.call('Untyped', {}, { version: 1 });
  if (chosen === untyped) return 'technical';
  return category;
}
`;

describe('SPEC 4.2 call, from `dacapo functions push` to the stored span', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let model: Server;
  let tracer: Tracer;
  const prompts: string[] = [];

  beforeAll(async () => {
    setLogLevel('OFF');
    folder = await mkdtemp(join(tmpdir(), 'dacapo-native-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    model = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        prompts.push(JSON.stringify(JSON.parse(body).messages));
        const message = { role: 'assistant', content: '{"category": "billing", "summary": "Charged twice"}' };
        const usage = { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            id: '1',
            model: 'm',
            created: 1,
            choices: [{ index: 0, message, finish_reason: 'stop' }],
            usage,
          }),
        );
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
    tracer = new Tracer({
      apiKey: collector.apiKey,
      serviceUrl: collector.url,
      envVars: { MODEL_KEY: 'sk-secret', MODEL_URL: modelUrl },
    });
  });
  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    model.close();
    await removeFolder(folder);
  });

  async function dacapo(...argv: string[]): Promise<void> {
    let errors = '';
    const exitCode = await run(argv, {
      stdout: { write: () => undefined },
      stderr: { write: (text) => (errors += text) },
      env: { TRACER_SERVICE_URL: collector.url, TRACER_API_KEY: collector.apiKey },
      untilStopped: () => Promise.resolve('SIGINT'),
      ask: () => Promise.resolve(undefined),
      confirm: () => Promise.resolve(undefined),
      hostApplication: () => undefined,
    });
    expect([exitCode, errors]).toEqual([0, '']);
  }

  async function get(path: string): Promise<ReturnType<typeof JSON.parse>> {
    const response = await fetch(collector.url + path, { headers: { 'api-key': collector.apiKey ?? '' } });
    return response.json();
  }

  it('runs the pushed function, and stores the call with its prompt, usage and version', async () => {
    const file = join(folder, 'classify.baml');
    await writeFile(file, source('Classify:'));
    await dacapo('functions', 'push', file);
    const ticket = await tracer.call('ClassifyTicket', { text: 'Charged twice' });
    expect(ticket).toEqual({ category: 'billing', summary: 'Charged twice' });

    await tracer.flush();
    const { items } = await get('/api/v1/traces?trace_function_key=ClassifyTicket');
    const { spans } = await get(`/api/v1/traces/${items[0].id}`);
    const span = await get(`/api/v1/traces/${items[0].id}/spans/${spans[0].id}`);
    expect(span).toMatchObject({
      type: 'llm',
      span_data: {
        input: [{ text: 'Charged twice' }],
        output: ticket,
        prompt: expect.stringContaining('Classify: Charged twice'),
        usage: { model: 'gpt-4o-mini', input_tokens: 12, output_tokens: 9 },
        contexts: [{ function: 'ClassifyTicket', version: 1 }, expect.anything(), expect.anything()],
      },
    });
    expect(JSON.stringify(span)).not.toContain('sk-secret');
  });

  it('replays stored calls through a pushed version that is not active', async () => {
    const file = join(folder, 'classify.baml');
    await writeFile(file, source('With care, classify:'));
    await dacapo('functions', 'push', file, '--no-activate');
    const replayed = await tracer.replay('ClassifyTicket', (input: object) =>
      tracer.call('ClassifyTicket', input, { version: 2 }),
    );
    expect(replayed.items).toMatchObject([{ input: [{ text: 'Charged twice' }] }]);
    expect(replayed.items[0]).not.toHaveProperty('error');
    expect(prompts.at(-1)).toContain('With care, classify: Charged twice');
  });

  it('has types by name from `dacapo functions types`', async () => {
    const types = join(folder, 'native-functions.d.ts');
    await dacapo('functions', 'types', '--out', types);
    expect(await readFile(types, 'utf8')).toContain('export type ClassifyTicketOutput');
    await writeFile(join(folder, 'use.ts'), USE);
    const program = ts.createProgram([join(folder, 'use.ts'), types], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: ['node'],
      typeRoots: [join(__dirname, '../node_modules/@types')],
      paths: {
        '@dacapo/tracer': [join(__dirname, '../libs/tracer/dist/esm/index.d.ts')],
        '@dacapo/protocol': [join(__dirname, '../libs/protocol/dist/esm/index.d.ts')],
      },
    });
    const problems = ts.getPreEmitDiagnostics(program);
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });
});
