import { spawn } from 'node:child_process';

const KEPT_LINES = 20;
const REMINDER_MS = 20_000;
const { stderr } = process;

/** A failed stage with the beginning and end of its output, and what to do. */
class StageFailure extends Error {
  constructor(title, output, cure) {
    super(`${title}: failed`);
    this.output = output;
    this.cure = cure;
  }
}

/**
 * Shows the progress of one step of a longer job: a live line on a terminal, start and end lines in a log.
 *
 * @param hint text after the title; a function is called for each line
 */
export async function stage(title, hint, work) {
  const startedAt = performance.now();
  const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const note = () => (hint ? ` (${typeof hint === 'function' ? hint() : hint})` : '');
  const draw = stderr.isTTY
    ? () => stderr.write(`\r\x1b[2K… ${title}${note()} ${elapsed()}`)
    : () => stderr.write(`… ${title}, ${elapsed()}\n`);
  if (stderr.isTTY) draw();
  else stderr.write(`… ${title}${note()}\n`);
  const timer = setInterval(draw, stderr.isTTY ? 500 : REMINDER_MS);
  const end = (mark) => {
    clearInterval(timer);
    stderr.write(`${stderr.isTTY ? '\r\x1b[2K' : ''}${mark} ${title} ${elapsed()}\n`);
  };
  try {
    const result = await work();
    end('✓');
    return result;
  } catch (error) {
    end('✗');
    throw error;
  }
}

/**
 * Runs a program and captures its output. Resolves to `{ code, output, killed }`; never rejects. `killed` says that it
 * ran into the `timeout` of its options.
 */
export function capture(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: 1, output: error.message, killed: false }));
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString(), killed: child.killed }),
    );
  });
}

/**
 * Runs a program as a stage.
 *
 * @param options of `spawn`, and `hint`: text after the title; `cure`: what to do about a failure; `run`: what runs
 *   the program, {@link capture} by default
 */
export function runStage(title, program, args, { hint, cure, run = capture, ...options } = {}) {
  return stage(title, hint, async () => {
    const { code, output, killed } = await run(program, args, options);
    if (killed) throw new StageFailure(title, `${program} did not end in time. ${ends(output)}`, cure);
    if (code !== 0) throw new StageFailure(title, ends(output), cure);
    return output;
  });
}

/** Runs `main`; prints a failed stage without a stack, and exits with 1. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    stderr.write(`\n${error.output.replace(/^/gm, '    ')}\n\n${error.message}.`);
    stderr.write(error.cure ? ` ${error.cure}\n` : '\n');
    process.exit(1);
  }
}

/** Shortens long output to its beginning, which often has the cause, and its end. */
function ends(output) {
  const lines = output.trimEnd().split('\n');
  if (lines.length <= 2 * KEPT_LINES) return lines.join('\n');
  const left = lines.length - 2 * KEPT_LINES;
  return [...lines.slice(0, KEPT_LINES), `(${left} lines skipped)`, ...lines.slice(-KEPT_LINES)].join('\n');
}
