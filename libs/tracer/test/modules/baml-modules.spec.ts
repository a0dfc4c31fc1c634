import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { type FunctionService, SOURCE, startFunctionService } from '../functions/function-service.js';
import { applicationFolder, installBaml, installClient, installTracer } from './baml-copy.js';
import { parseResult, runScript } from './run-script.js';

let models: ModelServer;
let service: FunctionService;
let env: Record<string, string>;

beforeAll(async () => {
  models = await startModelServer();
  service = await startFunctionService();
  service.push('ClassifyTicket', SOURCE);
  env = {
    MODEL_URL: `${models.url}/v1`,
    MODEL_HOST: models.url,
    MODEL_KEY: 'sk-secret',
    SERVICE_URL: service.url,
  };
});
afterAll(() => Promise.all([models.close(), service.close()]));

const ASK = `
  const { b } = await load('./baml_client/index.js');
  const lines = [];
  const { tracer, spans } = createTestTracer({ logger: { warn() {}, debug: (line) => lines.push(line) } });
  const ask = tracer.withSpan('ask', tracer.wrapFramework(b, b.AskGeneric));
  const answer = await ask('why?').catch((error) => error.name);
  console.log(JSON.stringify({ answer, prompt: spans[0].span_data.prompt, contexts: spans[0].span_data.contexts?.length, lines }));
`;
const RECORDED = { answer: 'Hello.', prompt: 'system:\nBe brief.\n\nuser:\nwhy?', contexts: 2, lines: [] };

const ASK_SYNC = `
  const { b } = await load('./baml_client/sync_client.js');
  const { tracer, spans } = createTestTracer();
  const answer = tracer.withSpan('ask', tracer.wrapFramework(b, b.AskGeneric))('why?');
  console.log(JSON.stringify({ answer, prompt: spans[0].span_data.prompt, contexts: spans[0].span_data.contexts.length }));
`;

const CALL = `
  const { tracer, spans } = createTestTracer({
    serviceUrl: env.SERVICE_URL,
    envVars: { MODEL_KEY: 'sk-secret', MODEL_URL: env.MODEL_URL, MODEL_HOST: env.MODEL_HOST },
  });
  const outcome = await tracer.call('ClassifyTicket', { text: 'x' }).catch(({ code, message }) => ({ code, message }));
  console.log(JSON.stringify({ outcome, spans: spans.length }));
`;

describe.each(['cjs', 'esm'] as const)('outside Jest, as %s', (kind) => {
  it('wrapFramework finds the package that the client uses', async () => {
    const application = applicationFolder();
    installBaml(application);
    installClient(application);
    expect(parseResult(await runScript(kind, application, ASK, env))).toEqual(RECORDED);
  });

  it('wrapFramework records a sync call', async () => {
    const application = applicationFolder();
    installBaml(application);
    installClient(application);
    const run = await runScript(kind, application, ASK_SYNC, env);
    expect(parseResult(run)).toEqual({ answer: 'Hello.', prompt: RECORDED.prompt, contexts: 2 });
  });

  it('call runs, and prints no prompt', async () => {
    models.reply = () => ({ text: '{"category": "billing", "summary": "s"}' });
    const application = applicationFolder();
    installBaml(application);
    const run = await runScript(
      kind,
      application,
      `delete process.env.BAML_LOG;
${CALL}`,
      env,
    );
    expect(parseResult(run)).toEqual({ outcome: { category: 'billing', summary: 's' }, spans: 1 });
    expect(run.stdout.trim().split('\n')).toHaveLength(1);
    models.reply = () => ({});
  });

  it.each([
    ['absent', undefined],
    ['without its native part', { native: false }],
  ])('call says what to install when the package is %s', async (_, install) => {
    const application = applicationFolder();
    installTracer(application);
    if (install !== undefined) installBaml(application, install);
    expect(parseResult(await runScript(kind, application, CALL, env))).toEqual({
      outcome: {
        code: 'TRACER_FUNCTION_RUNTIME_MISSING',
        message: expect.stringContaining('npm install @boundaryml/baml@0.223.0'),
      },
      spans: 1,
    });
  });
});

describe('a monorepo in which each package is linked only with its own dependencies', () => {
  /** `apps/api` is the program; `packages/ai` has the tracer, which is linked from a store with what it needs beside it. */
  function monorepo({ bamlFolder }: { bamlFolder: 'packages/ai' | 'apps/api' }): string {
    const root = applicationFolder();
    const stored = join(root, 'node_modules/.pnpm/tracer');
    installTracer(stored);
    if (bamlFolder === 'packages/ai') installBaml(stored);
    else installBaml(join(root, 'apps/api'));
    mkdirSync(join(root, 'packages/ai/node_modules'), { recursive: true });
    symlinkSync(
      join(stored, 'node_modules/@dacapo'),
      join(root, 'packages/ai/node_modules/@dacapo'),
      'junction',
    );
    writeFileSync(
      join(root, 'packages/ai/testing.cjs'),
      "module.exports = require('@dacapo/tracer/testing');",
    );
    mkdirSync(join(root, 'apps/api/dist'), { recursive: true });
    return root;
  }

  it.each(['packages/ai', 'apps/api'] as const)(
    'call finds the runtime that %s installs',
    async (bamlFolder) => {
      models.reply = () => ({ text: '{"category": "billing", "summary": "s"}' });
      const root = monorepo({ bamlFolder });
      const main = join(root, 'apps/api/dist/main.cjs');
      writeFileSync(
        main,
        `const { createTestTracer } = require('../../../packages/ai/testing.cjs');
       const env = process.env;
       (async () => { ${CALL} })();`,
      );
      const { stdout } = await promisify(execFile)(process.execPath, [main], {
        cwd: tmpdir(),
        env: { PATH: process.env['PATH'], BAML_LOG: 'off', ...env },
      });
      expect(JSON.parse(stdout)).toEqual({ outcome: { category: 'billing', summary: 's' }, spans: 1 });
      models.reply = () => ({});
    },
  );
});

describe('two copies of the package', () => {
  it('are never mixed: a client whose copy cannot be found is called without a collector', async () => {
    const [application, other] = [applicationFolder(), applicationFolder()];
    for (const folder of [application, other]) installBaml(folder);
    installClient(other);
    const body = `
      const { createRequire } = require('node:module');
      require('@boundaryml/baml');
      const { b } = createRequire('${other}/x.js')('./baml_client/index.js');
      const forget = () => {
        for (const path of Object.keys(require.cache)) if (path.startsWith('${other}')) delete require.cache[path];
      };
      const lines = [];
      const { tracer, spans } = createTestTracer({ logger: { warn() {}, debug: (line) => lines.push(line) } });
      const ask = (key) => tracer.withSpan(key, tracer.wrapFramework(b, b.AskGeneric))('why?');
      const answers = [await ask('found')];
      forget();
      answers.push(await ask('lost'));
      console.log(JSON.stringify({ answers, contexts: spans.map(({ span_data }) => span_data.contexts?.length ?? 0), lines }));
    `;
    expect(parseResult(await runScript('cjs', application, body, env))).toEqual({
      answers: ['Hello.', 'Hello.'],
      contexts: [2, 0],
      lines: [expect.stringContaining('found no @boundaryml/baml')],
    });
  });

  it('would abort the process if they were mixed, which is why', async () => {
    const [application, other] = [applicationFolder(), applicationFolder()];
    for (const folder of [application, other]) installBaml(folder);
    installClient(other);
    const body = `
      const { Collector } = require('@boundaryml/baml');
      const { b } = require('node:module').createRequire('${other}/x.js')('./baml_client/index.js');
      await b.AskGeneric('why?', { collector: new Collector() });
    `;
    const run = await runScript('cjs', application, body, env);
    expect(run.signal ?? run.exitCode).toBe('SIGABRT');
  });
});
