import { capture, runStage } from './progress.mjs';

const IS_WINDOWS = process.platform === 'win32';
const PROGRAM = IS_WINDOWS ? 'npm.cmd' : 'npm';
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
const INSTALL = [...QUIET, '--ignore-scripts', '--fetch-timeout=60000'];
const DEADLINE_MS = 300_000;
const TRIES = 3;

/**
 * Runs `npm` as a stage.
 *
 * @param options `hint` and `cure` of the stage, and options of `spawn`
 */
export function runNpm(title, args, options) {
  return runStage(title, PROGRAM, args, { shell: IS_WINDOWS, ...options });
}

/**
 * Installs packages as a stage, without install scripts. If npm hangs, it is stopped after five minutes and started again, at most three
 * times.
 *
 * @param args such as `['ci']` or `['install', 'express@5']`
 * @param options `hint` and `cure` of the stage, and options of `spawn`
 */
export function installPackages(title, args, options) {
  return runNpm(title, [...args, ...INSTALL], { ...options, run: runUntilEnded });
}

async function runUntilEnded(program, args, options) {
  for (let tries = 1; ; tries++) {
    const result = await capture(program, args, { ...options, timeout: DEADLINE_MS, killSignal: 'SIGKILL' });
    if (!result.killed || tries === TRIES) return result;
  }
}
