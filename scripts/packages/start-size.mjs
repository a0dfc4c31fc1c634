import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const APPLICATION = `
  import { Tracer } from '@dacapo/tracer';
  const tracer = new Tracer({ apiKey: process.env.TRACER_API_KEY });
  await tracer.withSpan('key', async () => 1)();
  await tracer.shutdown();
`;

/**
 * Measures a record-only application in minified bytes: `startBytes` that it loads at start with code splitting, and `singleBytes`
 * as one file.
 *
 * @param dirs folders of the published packages, by package name
 */
export async function measureStart(dirs) {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-start-'));
  const input = join(folder, 'app.mjs');
  writeFileSync(input, APPLICATION);
  const bundle = await rolldown({
    input,
    platform: 'node',
    // The workspace's tsconfig.json would make it bundle the sources.
    tsconfig: false,
    resolve: {
      alias: {
        '@dacapo/protocol/core': join(dirs['@dacapo/protocol'], 'dist/esm/protocol.js'),
        ...Object.fromEntries(Object.entries(dirs).map(([name, dir]) => [name, entryPath(dir)])),
      },
    },
    checks: { pluginTimings: false },
  });
  try {
    const split = (await bundle.generate({ format: 'esm', minify: true })).output;
    const single = (await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })).output;
    const byName = new Map(split.map((chunk) => [chunk.fileName, chunk]));
    const atStart = new Set(split.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
    for (const name of atStart) for (const next of byName.get(name)?.imports ?? []) atStart.add(next);
    return {
      startBytes: countBytes([...atStart].flatMap((name) => byName.get(name) ?? [])),
      singleBytes: countBytes(single),
    };
  } finally {
    await bundle.close();
    rmSync(folder, { recursive: true });
  }
}

const entryPath = (dir) => join(dir, 'dist/esm/index.js');

const countBytes = (chunks) => chunks.reduce((sum, { code = '' }) => sum + Buffer.byteLength(code), 0);
