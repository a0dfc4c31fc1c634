import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applicationFolder } from './baml-copy.js';
import { type ModuleKind, resultOf, runScript } from './run-script.js';

const DIST = join(__dirname, '../../dist');

const STEPS = `
  const { createRequire } = await import('node:module');
  const { basename } = await import('node:path');
  const { cache } = createRequire(env.ENTRY);
  const loaded = () => Object.keys(cache).filter((path) => path.startsWith(env.DIST)).map((path) => basename(path)).sort();
  const steps = { none: loaded() };
  const { Tracer } = await load(env.ENTRY);
  steps.imported = loaded();
  const tracer = new Tracer({ enabled: false });
  steps.made = loaded();
  const adapters = [tracer.getLangChainHandler(), tracer.getAiSdkTelemetry()].map((adapter) => typeof adapter);
  steps.adapted = loaded();
  console.log(JSON.stringify({ ...steps, adapters }));
`;

describe('the built package, whose modules are forgotten between import and first tracer', () => {
  it('throws errors of the classes that were imported', async () => {
    const ENTRY = join(DIST, 'cjs/index.js');
    const steps = `
      const imported = await load(env.ENTRY);
      for (const path of Object.keys(require.cache)) delete require.cache[path];
      const options = { apiKey: 'key', serviceUrl: 'http://127.0.0.1:1', delivery: { intervalMs: -1 } };
      try { new imported.Tracer(options); } catch (error) {
        console.log(error instanceof imported.InvalidOptionError);
      }
    `;
    expect(resultOf(await runScript('cjs', applicationFolder(), steps, { ENTRY }))).toBe(true);
  });

  it('records through an adapter that is loaded after that, in the span that is open', async () => {
    const steps = `
      const { tracer, spans } = createTestTracer();
      for (const path of Object.keys(require.cache)) delete require.cache[path];
      const handler = tracer.getLangChainHandler();
      tracer.withSpan('outer', () => {
        handler.handleChainStart({ id: ['inner'] }, { question: 'why' }, 'run-1');
        handler.handleChainEnd({ answer: 42 }, 'run-1');
      })();
      console.log(JSON.stringify(spans.map(({ id, parent_id }) => [id, parent_id ?? null])));
    `;
    const [inner, outer] = resultOf(await runScript('cjs', applicationFolder(), steps)) as string[][];
    expect([inner?.[1], outer?.[1]]).toEqual([outer?.[0], null]);
  });
});

describe.each<ModuleKind>(['cjs', 'esm'])('the built package, as %s', (kind) => {
  it('loads its adapters when the first is asked for', async () => {
    const path = join(DIST, kind, 'index.js');
    const ENTRY = kind === 'esm' ? pathToFileURL(path).href : path;
    const run = await runScript(kind, applicationFolder(), STEPS, { ENTRY, DIST });
    expect(resultOf(run)).toEqual({
      none: ['testing.js', 'tracer.js'],
      imported: ['index.js', 'testing.js', 'tracer.js'],
      made: ['index.js', 'testing.js', 'tracer.js'],
      adapted: expect.arrayContaining(['adapters.js']) as string[],
      adapters: ['object', 'object'],
    });
  });
});

describe('the built package', () => {
  it('says in its source maps where each line was written', () => {
    const map = JSON.parse(readFileSync(join(DIST, 'cjs/tracer.js.map'), 'utf8')) as { sources: string[] };
    expect(map.sources.map((path) => path.replace(/.*libs\/tracer\//, ''))).toContain(
      'src/recording/recorder.ts',
    );
  });
});
