import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartFailure } from './failure.mjs';

const HOST = '127.0.0.1';

/**
 * The wanted port if it is free. A default that is taken gives way to any free port, and that is told; a port that was
 * asked for does not.
 *
 * @throws StartFailure
 */
export async function choosePort({ flag, wanted, isDefault }, tell) {
  if (wanted === 0 || (await isFree(wanted))) return wanted;
  if (!isDefault) {
    throw new StartFailure(
      `Port ${wanted} cannot be used`,
      'Another program listens on it.',
      `Stop that program, or choose another port with ${flag}; ${flag} 0 takes any free one.`,
    );
  }
  tell(`! Port ${wanted} is taken: using any free one. Choose with \`npm start -- ${flag} <port>\`.`);
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
