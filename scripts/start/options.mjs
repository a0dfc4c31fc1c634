import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../workspace.mjs';
import { StartFailure } from './failure.mjs';

export const HELP = `Starts Dacapo with its sample app, sends it some tickets and replays them through a changed version.

  npm start -- [options]

  --port <port>        port of the collector and its dashboard (4100; 0 picks a free one)
  --app-port <port>    port of the support desk (3000; 0 picks a free one)
  --data-dir <folder>  folder for the collector's data (.dacapo, or DACAPO_DATA_DIR)
  --storage <address>  PostgreSQL database of the collector, as postgres://… (DACAPO_STORAGE; without it, the folder)
  --spans <address>    ClickHouse database for spans, as clickhouse://… (DACAPO_SPANS)
  --once               exit after the report, with 0 if everything worked

OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL choose the model of the support desk. Without a key and a URL, a local
stand-in answers, which is part of the sample app.
`;

/** @throws StartFailure if an argument is invalid */
export function readOptions(argv, env) {
  const { values } = parse(argv);
  return {
    help: values.help ?? false,
    once: values.once ?? false,
    dataDir: resolve(values['data-dir'] ?? (env.DACAPO_DATA_DIR || join(ROOT, '.dacapo'))),
    storage: values.storage,
    spans: values.spans,
    collectorPort: {
      flag: '--port',
      wanted: parsePort('--port', values.port) ?? 4100,
      isDefault: !values.port,
    },
    appPort: {
      flag: '--app-port',
      wanted: parsePort('--app-port', values['app-port']) ?? 3000,
      isDefault: !values['app-port'],
    },
  };
}

function parse(args) {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const options = {
    port: text,
    'app-port': text,
    'data-dir': text,
    storage: text,
    spans: text,
    once: flag,
    help: flag,
  };
  try {
    return parseArgs({ args, options });
  } catch (error) {
    throw new StartFailure('Invalid arguments', error.message, 'Run `npm start -- --help` for the options.');
  }
}

function parsePort(flag, text) {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new StartFailure(
    'Invalid arguments',
    `${flag} is "${text}".`,
    'A port is a whole number from 0 to 65535.',
  );
}
