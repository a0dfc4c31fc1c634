import { type Members, toMembers } from '@dacapo/protocol';
import { membersWithout } from '../readers.js';

/** Options for the process, which are not part of the model request. `env` and `headers` contain keys. */
const TRANSPORT = new Set([
  'abortController',
  'cwd',
  'debug',
  'debugFile',
  'env',
  'executable',
  'executableArgs',
  'pathToClaudeCodeExecutable',
  'sessionStore',
]);

/** Returns the request of a `query` call, without options for the process. */
export function sessionRequest({ prompt, options }: Members): Members {
  return { prompt, ...(options !== undefined && { options: requestOptions(options) }) };
}

function requestOptions(options: unknown): Members {
  const entries = Object.entries(toMembers(options)).filter(
    ([name, value]) => !TRANSPORT.has(name) && typeof value !== 'function' && name !== 'hooks',
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'mcpServers' ? withoutTransport(value) : value]),
  );
}

/** A server in the process is an object with methods. */
function withoutTransport(servers: unknown): Members {
  return Object.fromEntries(
    Object.entries(toMembers(servers)).map(([name, server]) => [
      name,
      membersWithout(server, 'instance', 'env', 'headers'),
    ]),
  );
}
