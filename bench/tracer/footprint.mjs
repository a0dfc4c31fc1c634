import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measureInChild, median } from './children.mjs';

const ROUNDS = 41;
const TRACER = fileURLToPath(new URL('../../libs/tracer', import.meta.url));

/** Cost of loading the package, its size, and the cost of a call through a disabled tracer. */
export async function measureFootprint(progress) {
  progress('import, tarball and the disabled tracer');
  const { addedNs } = await measureInChild('disabled-child.mjs', []);
  const [{ size }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], { cwd: TRACER, encoding: 'utf8' }),
  );
  return {
    'import, added CPU ms': addedCpuMs('load/imports.mjs', 'load/nothing.mjs'),
    'require, added CPU ms': addedCpuMs('load/requires.cjs', 'load/nothing.cjs'),
    'import and first tracer, added CPU ms': addedCpuMs('load/first-tracer.mjs', 'load/nothing.mjs'),
    'tarball KB': Math.round(size / 100) / 10,
    'disabled tracer, ns a call': Math.round(addedNs * 10) / 10,
  };
}

/** Additional CPU of a process that runs `script`, compared with `idle`: median difference of interleaved rounds. */
function addedCpuMs(script, idle) {
  const added = Array.from({ length: ROUNDS }, () => measureCpuMs(script) - measureCpuMs(idle));
  return Math.round(median(added) * 10) / 10;
}

function measureCpuMs(script) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--require', REPORTER, path], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`);
  return Number(stdout);
}

const REPORTER = fileURLToPath(new URL('load/report-cpu.cjs', import.meta.url));
