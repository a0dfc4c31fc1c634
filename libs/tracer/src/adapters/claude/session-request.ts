import { type Fields, toFields, fieldsWithout } from '../readers.js';

/** Options that say where and how the process runs, not what the model is asked. `env` and `headers` hold keys. */
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

/** What a call of `query` asks, without how its process runs. */
export function sessionRequest({ prompt, options }: Fields): Fields {
  return { prompt, ...(options !== undefined && { options: requestOptions(options) }) };
}

function requestOptions(options: unknown): Fields {
  const entries = Object.entries(toFields(options)).filter(
    ([name, value]) => !TRANSPORT.has(name) && typeof value !== 'function' && name !== 'hooks',
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'mcpServers' ? withoutTransport(value) : value]),
  );
}

/** A server in the process is an object with methods. */
function withoutTransport(servers: unknown): Fields {
  return Object.fromEntries(
    Object.entries(toFields(servers)).map(([name, server]) => [
      name,
      fieldsWithout(server, 'instance', 'env', 'headers'),
    ]),
  );
}
