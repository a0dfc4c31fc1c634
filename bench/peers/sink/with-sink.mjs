import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./sink-process.mjs', import.meta.url));

/** Runs `use` with a sink in a separate process. Without `counting` the sink does not parse requests. */
export async function withSink({ behaviour = 'healthy', counting = false }, use) {
  const child = fork(PROGRAM, [behaviour, counting ? 'counting' : '']);
  const [{ url }] = await once(child, 'message');
  const ask = async (message) => {
    child.send(message);
    return (await once(child, 'message'))[0];
  };
  let requested = Promise.resolve();
  const inTurn = (message) => (requested = requested.then(() => ask(message)));
  const sink = {
    url,
    become: (next) => inTurn({ become: next }),
    delivered: async () => (await inTurn({})).delivered,
  };
  try {
    return await use(sink);
  } finally {
    child.kill('SIGKILL');
  }
}
