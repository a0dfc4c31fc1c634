import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measureInChild, median } from './children.mjs';

const ROUNDS = 25;
const TRACER = fileURLToPath(new URL('../../libs/tracer', import.meta.url));
const LOADS = { import: 'load/imports.mjs', require: 'load/requires.cjs' };
const NOTHING = { import: 'load/nothing.mjs', require: 'load/nothing.cjs' };

/** What the package costs before it does anything. */
export async function measureFootprint(progress) {
  progress('import, tarball and the disabled tracer');
  const { addedNs } = await measureInChild('disabled-child.mjs', []);
  const [{ size }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], { cwd: TRACER, encoding: 'utf8' }),
  );
  return {
    'import, added CPU ms': addedCpuMs('import'),
    'require, added CPU ms': addedCpuMs('require'),
    'tarball KB': Math.round(size / 100) / 10,
    'disabled tracer, ns a call': Math.round(addedNs * 10) / 10,
  };
}

/** CPU of a process that loads the package, over that of one that does nothing: medians of interleaved rounds. */
function addedCpuMs(kind) {
  const rounds = Array.from({ length: ROUNDS }, () => [cpuMsOf(LOADS[kind]), cpuMsOf(NOTHING[kind])]);
  const [loading, idle] = [0, 1].map((arm) => median(rounds.map((round) => round[arm])));
  return Math.round((loading - idle) * 10) / 10;
}

function cpuMsOf(script) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--require', REPORTER, path], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`);
  return Number(stdout);
}

const REPORTER = fileURLToPath(new URL('load/report-cpu.cjs', import.meta.url));
