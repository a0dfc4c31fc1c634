import { fork } from 'node:child_process';

const here = (name) => new URL(name, import.meta.url);

/** Runs a script in a separate process and returns the one message that it sends. */
export function measureInChild(script, args, { execArgv = [], env = {}, stdio } = {}) {
  return new Promise((resolve, reject) => {
    const child = fork(here(script), args.map(String), { execArgv, env: { ...process.env, ...env }, stdio });
    let result;
    child.on('message', (message) => (result = message));
    child.on('exit', (code) =>
      result === undefined
        ? reject(new Error(`${script} ${args.join(' ')} ended with ${code}`))
        : resolve(result),
    );
  });
}

/** Runs `use` with a sink in a separate process. */
export async function withSink(behaviour, use) {
  const child = fork(here('sink.mjs'), [behaviour]);
  const { url } = await new Promise((resolve) => child.once('message', resolve));
  try {
    return await use(url);
  } finally {
    child.kill('SIGKILL');
  }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
