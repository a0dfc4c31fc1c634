import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type CellsUnderTest, describeCells } from '../clients/cells/cells-contract.js';
import { applicationFolder, compileTypeScript } from './baml-copy.js';
import { type ModuleKind, parseResult, runScript } from './run-script.js';

const CELLS = join(__dirname, '../clients/cells');
const FILES = ['cells', 'vendor-api', 'openai-apis', 'anthropic-api', 'google-api'];

/** The script of an application that has a vendor's package. */
interface Script {
  readonly name: string;
  readonly file: string;
  /** Gives the class of the client. */
  readonly load: string;
  readonly newClient: string;
  readonly api: string;
}

const OPENAI = { file: 'openai-apis', load: "await load('openai')", newClient: 'newOpenAi' };
const SCRIPTS: readonly Script[] = [
  { ...OPENAI, name: 'openai, chat', api: 'openAiChat' },
  { ...OPENAI, name: 'openai, responses', api: 'openAiResponses' },
  {
    name: '@anthropic-ai/sdk',
    file: 'anthropic-api',
    load: "await load('@anthropic-ai/sdk')",
    newClient: 'newAnthropic',
    api: 'anthropicMessages',
  },
  {
    name: '@google/genai',
    file: 'google-api',
    load: "(await load('@google/genai')).GoogleGenAI",
    newClient: 'newGoogle',
    api: 'googleModels',
  },
];

/** Runs the cells in a process of their own, with the built tracer. */
function inProcess(kind: ModuleKind, { file, load, newClient, api }: Script): CellsUnderTest['run'] {
  return async (bareUrl, wrappedUrl) => {
    const application = applicationFolder();
    symlinkSync(join(__dirname, '../../../../node_modules'), join(application, 'node_modules'), 'junction');
    const cells = join(application, 'cells');
    mkdirSync(cells);
    for (const name of FILES) compileTypeScript(join(CELLS, `${name}.ts`), cells);
    const body = `
      const found = ${load};
      const Client = found.default ?? found;
      const { runCells } = await load('./cells/cells.js');
      const { ${newClient}: newClient, ${api}: api } = await load('./cells/${file}.js');
      const { tracer, spans } = createTestTracer();
      const wrapped = tracer.wrapClient(newClient(Client, env.WRAPPED_URL));
      console.log(JSON.stringify(await runCells(api(newClient(Client, env.BARE_URL)), api(wrapped), spans)));
      process.exit();
    `;
    const env = { BARE_URL: bareUrl, WRAPPED_URL: wrappedUrl };
    return parseResult(await runScript(kind, application, body, env)) as Awaited<
      ReturnType<CellsUnderTest['run']>
    >;
  };
}

for (const kind of ['cjs', 'esm'] as const)
  for (const script of SCRIPTS)
    describeCells({ name: `${script.name}, as ${kind}`, run: inProcess(kind, script) });
