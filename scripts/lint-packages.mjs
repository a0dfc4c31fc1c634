import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from './progress.mjs';
import { libraries, ROOT } from './workspace.mjs';

/** What a package may weigh packed, in kB, where it is loaded by other people's applications. */
const BUDGETS = { protocol: 80, evaluation: 90, tracer: 300, nestjs: 110 };

const bin = (name) => join(ROOT, 'node_modules/.bin', name);

/**
 * Packs every public package as npm would, and asks publint and attw about the tarball. attw's profile leaves out
 * `moduleResolution: node10`, which knows no `exports` and so no subpath such as `@dacapo/tracer/testing`. Weighs them, too.
 */
const outDir = mkdtempSync(join(tmpdir(), 'dacapo-packages-'));
let failed = false;
try {
  for (const { name, dir } of libraries().filter(({ isPublic }) => isPublic)) {
    const packed = await capture(
      'npm',
      ['pack', '--json', '--loglevel=error', '--pack-destination', outDir],
      { cwd: dir },
    );
    const [{ filename, files, size }] = JSON.parse(packed.output);
    const tarball = join(outDir, filename);
    const answers = await Promise.all([
      capture(bin('publint'), ['run', tarball, '--strict'], { cwd: dir }),
      capture(bin('attw'), [tarball, '--profile', 'node16', '--format', 'ascii', '--no-emoji'], { cwd: dir }),
    ]);
    const bad = answers.filter(({ code }) => code !== 0);
    if (size > (BUDGETS[name] ?? Infinity) * 1000)
      bad.push({ output: `More than ${BUDGETS[name]} kB: leave something out, or load it from elsewhere.` });
    if (!files.some(({ path }) => path === 'LICENSE'))
      bad.push({ output: 'No LICENSE: copy the one of the workspace beside the package.json.' });
    failed ||= bad.length > 0;
    console.log(`${bad.length === 0 ? '✓' : '✗'} ${name} (${(size / 1000).toFixed(1)} kB packed)`);
    for (const { output } of bad) console.log(output);
  }
} finally {
  rmSync(outDir, { recursive: true });
}
process.exitCode = failed ? 1 : 0;
