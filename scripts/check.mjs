import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { capture, runMain } from './progress.mjs';
import { ROOT } from './workspace.mjs';

const npmRun = (script) => () => capture('npm', ['run', '--silent', script], { cwd: ROOT });

/** Name and run function of each check. A run resolves to `{ code, output }`. */
const CHECKS = [
  ['lint', npmRun('lint')],
  ['types', npmRun('types')],
  ['layers', npmRun('layers')],
  ['dead code', npmRun('dead-code')],
  ['packages', npmRun('packages')],
  ['English', npmRun('english')],
  ['generated documents', () => capture('node', ['scripts/reference.mjs', '--check'], { cwd: ROOT })],
  ['lock file', lockFileNamesNoRegistry],
];

async function lockFileNamesNoRegistry() {
  const addresses =
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8').match(/"resolved": "[a-z+]+:\/\/[^"]*"/g) ?? [];
  const cure =
    'Remove these registry URLs. With omit-lockfile-registry-resolved in .npmrc, `npm install` writes none.';
  return { code: addresses.length === 0 ? 0 : 1, output: [...addresses, cure].join('\n') };
}

await runMain(prepare);
const failures = [];
const waiting = [...CHECKS];

/** Runs the next check until none is left. Most of them keep one processor busy. */
async function runChecks() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const [name, run] = check;
    const startedAt = performance.now();
    const { code, output } = await run();
    console.log(`${code === 0 ? '✓' : '✗'} ${name} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    if (code !== 0) failures.push({ name, output });
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, runChecks));

for (const { name, output } of failures) console.log(`\n── ${name} ──\n${output.trimEnd()}`);
console.log(
  failures.length === 0
    ? `\nAll ${CHECKS.length} checks passed.`
    : `\n${failures.length} of ${CHECKS.length} checks failed: ${failures.map(({ name }) => name).join(', ')}.`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
