import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartFailure } from './failure.mjs';

const HOST = '127.0.0.1';

/**
 * Returns the wanted port if it is free. For a default port that is in use, returns 0 (any free port) and reports it.
 *
 * @throws StartFailure if a requested port is in use
 */
export async function choosePort({ flag, wanted, isDefault }, warn) {
  if (wanted === 0 || (await isFree(wanted))) return wanted;
  if (!isDefault) {
    throw new StartFailure(
      `Port ${wanted} is in use`,
      'Another program listens on it.',
      `Stop that program, or choose another port with ${flag}. ${flag} 0 picks a free port.`,
    );
  }
  warn(
    `! Port ${wanted} is in use, so a free port is used. To choose one, run \`npm start -- ${flag} <port>\`.`,
  );
  return 0;
}

async function isFree(port) {
  const server = createServer();
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
