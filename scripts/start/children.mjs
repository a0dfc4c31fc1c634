import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { StartFailure } from './failure.mjs';

const READY_MS = 60_000;
const CLOSE_MS = 8_000;
const KEPT_LINES = 20;

/** Child programs, which end with this one. */
export class Children {
  #running = [];
  #isClosing = false;
  #onEnd = () => {};

  constructor() {
    process.on('exit', () => {
      for (const { child } of this.#running) child.kill('SIGKILL');
    });
  }

  /** Calls `listener` with a StartFailure when one of them exits after it was ready. */
  onEnd(listener) {
    this.#onEnd = listener;
  }

  /**
   * Starts a Node program and waits for the line of JSON that it prints when it is ready.
   *
   * @throws StartFailure when it ends before, or says nothing for a minute
   */
  async start({ name, args, env, cure }) {
    // A process group of its own: Ctrl+C reaches this program alone, which then closes the others in order.
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    const lines = [];
    const entry = { name, child, lines, isReady: false };
    entry.ended = this.#watch(entry);
    this.#running.push(entry);
    return this.#untilReady(entry, cure);
  }

  /** Ends one of them, or all, the last one first. Resolves when they have exited. */
  async close(name) {
    const closing = this.#running.filter((entry) => name === undefined || entry.name === name).reverse();
    this.#isClosing ||= name === undefined;
    for (const entry of closing) {
      entry.isReady = false;
      entry.child.kill('SIGTERM');
      const overdue = setTimeout(() => entry.child.kill('SIGKILL'), CLOSE_MS);
      await entry.ended;
      clearTimeout(overdue);
    }
  }

  #watch(entry) {
    const { child, lines, name } = entry;
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    });
    return new Promise((resolve) => {
      child.on('close', (code, signal) => {
        this.#running = this.#running.filter((other) => other !== entry);
        resolve();
        if (!entry.isReady || this.#isClosing) return;
        const why = `It exited (${signal ?? `code ${code}`}).\n${lines.join('\n')}`;
        this.#onEnd(new StartFailure(`${name} stopped`, why, 'Run `npm start` again.'));
      });
    });
  }

  #untilReady(entry, cure) {
    const { child, lines, name } = entry;
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new StartFailure(`${name} does not start`, why, cure));
      const timer = setTimeout(() => fail('It was not ready within a minute.'), READY_MS);
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!line.startsWith('{')) return;
        clearTimeout(timer);
        entry.isReady = true;
        resolve(JSON.parse(line));
      });
      child.on('error', ({ message }) => fail(message));
      child.on('close', () => {
        clearTimeout(timer);
        fail(readable(lines));
      });
    });
  }
}

/** The last lines that it wrote; the message alone where it wrote an error of ours. */
function readable(lines) {
  try {
    return JSON.parse(lines.at(-1)).error.message;
  } catch {
    return lines.join('\n') || 'It said nothing.';
  }
}
