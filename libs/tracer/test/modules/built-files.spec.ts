import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { applicationFolder } from './baml-copy.js';
import { parseResult, runScript } from './run-script.js';

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

describe('the built package, whose modules are unloaded between import and first tracer', () => {
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
    expect(parseResult(await runScript('cjs', applicationFolder(), steps, { ENTRY }))).toBe(true);
  });

  it('records through an adapter that is loaded after that, in the span that is open', async () => {
    const steps = `
      const { tracer, spans } = createTestTracer();
      for (const path of Object.keys(require.cache)) delete require.cache[path];
      const handler = tracer.getLangChainHandler();
      await tracer.withSpan('outer', async () => {
        await handler.handleChainStart({ id: ['inner'] }, { question: 'why' }, 'run-1');
        handler.handleChainEnd({ answer: 42 }, 'run-1');
      })();
      console.log(JSON.stringify(spans.map(({ id, parent_id }) => [id, parent_id ?? null])));
    `;
    const [inner, outer] = parseResult(await runScript('cjs', applicationFolder(), steps)) as string[][];
    expect([inner?.[1], outer?.[1]]).toEqual([outer?.[0], null]);
  });
});

describe('the built package, as CommonJS', () => {
  it('loads its adapters at their first use', async () => {
    const ENTRY = join(DIST, 'cjs/index.js');
    const run = await runScript('cjs', applicationFolder(), STEPS, { ENTRY, DIST });
    const core = ['index.js', 'testing.js', 'tracer-exports.js', 'tracer.js'];
    expect(parseResult(run)).toEqual({
      none: ['testing.js', 'tracer.js'],
      imported: core,
      made: core,
      adapted: expect.arrayContaining(['adapters.js']) as string[],
      adapters: ['object', 'object'],
    });
  });
});

/** The files that a file imports, and those that they import, without what `import()` loads later. */
function importedFiles(path: string, found = new Set<string>()): Set<string> {
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+)["'];$/gm);
  for (const [, target] of imports) {
    const next = join(path, '..', target!);
    if (!found.has(next)) importedFiles(next, found);
  }
  return found;
}

describe('the built package, as ES modules', () => {
  it('is made of ES modules, which never require', () => {
    const texts = readdirSync(join(DIST, 'esm'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(DIST, 'esm', name), 'utf8'));
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((text) => /(?<![.\w])require\(['"]|__dirname|__filename|\/cjs\//.test(text))).toEqual(
      [],
    );
  });

  it('loads replays, native functions and the recorders of LangChain, Agents and the AI SDK at their first use', () => {
    const atStart = [...importedFiles(join(DIST, 'esm/index.js'))].map((path) => basename(path));
    expect(atStart.sort()).toEqual(['index.js', 'rolldown-runtime.js', 'tracer-exports.js', 'tracer.js']);
    const files = readdirSync(join(DIST, 'esm'));
    expect(files).toEqual(
      expect.arrayContaining(['function-runner.js', 'recording-handler.js', 'test-runs.js']),
    );
  });
});

describe('the built package', () => {
  it.each(['cjs', 'esm'])('has source maps of %s with the place of each line', (kind) => {
    const map = JSON.parse(readFileSync(join(DIST, kind, 'tracer.js.map'), 'utf8')) as { sources: string[] };
    const sources = map.sources.map((path) => join(DIST, kind, path));
    expect(sources).toContain(join(DIST, '../src/recording/recorder.ts'));
    expect(sources.filter((path) => !existsSync(path))).toEqual([]);
  });
});
