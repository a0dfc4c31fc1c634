import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly publicUrl?: string;
  readonly prices?: string;
  readonly json?: true;
}

/** `dacapo serve`: the collector with its embedded database and the dashboard, until it is asked to stop. */
export function addServeCommand(program: Command, io: CliIo): void {
  program
    .command('serve')
    .description('run the service: it takes traces in, stores them, and shows the dashboard')
    .option('--port <port>', 'where to listen; 0 takes any free port', parsePort, 4100)
    .option('--host <address>', 'where to listen; anything but loopback opens it to the network', '127.0.0.1')
    .option('--data-dir <folder>', 'where the database is kept', '.dacapo')
    .option(
      '--public-url <url>',
      'the address that people and applications see, when a proxy stands before it',
    )
    .option('--prices <file>', 'prices of models of your own, as JSON: see docs/usage.md')
    .option('--json', 'print {"url","apiKey"?,"dashboardUrl"} on one line when ready')
    .action((options: ServeOptions) => serve(options, io));
}

async function serve(options: ServeOptions, io: CliIo): Promise<void> {
  const collector = await start(options);
  const stopped = io.untilStopped();
  const { url, apiKey, dashboardUrl } = collector;
  const ready = { url, ...(apiKey !== undefined && { apiKey }), dashboardUrl };
  const isRead = io.stdout.isTTY === true || apiKey !== undefined;
  print(io, options, ready, readyMessage({ ...ready, isRead, dataDir: resolve(options.dataDir) }));
  await stopped;
  if (!options.json) io.stderr.write('Stopping; press Ctrl+C again to stop at once.\n');
  await collector.close();
}

async function start({ port, host, dataDir, publicUrl, prices }: ServeOptions) {
  // Loaded here: it takes longer than all the other commands together.
  const { startCollector } = await import('@dacapo/collector');
  return startCollector({
    ...{ port, host, dataDir },
    ...(publicUrl !== undefined && { publicUrl }),
    ...(prices !== undefined && { pricesFile: prices }),
  });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}

interface ReadyFacts {
  readonly url: string;
  readonly apiKey?: string;
  readonly dashboardUrl: string;
  readonly dataDir: string;
  /** Whether a person sees it, rather than a log that keeps it: of later starts, a terminal tells. */
  readonly isRead: boolean;
}

/** What a person reads when the service is up. */
function readyMessage({ url, apiKey, dashboardUrl, dataDir, isRead }: ReadyFacts): string {
  return [
    `Dacapo is ready at ${url}`,
    '',
    ...(isRead
      ? [`  Dashboard  ${dashboardUrl}`, '             Opens signed in; the link works once.']
      : [
          `  Dashboard  ${new URL('/', dashboardUrl).href}`,
          '             Sign in with an API key. A link that signs in is printed to terminals only, not into logs.',
        ]),
    ...(apiKey === undefined
      ? ['  API keys   The first start showed one; the page API keys of the dashboard makes more.']
      : [
          `  API key    ${apiKey}`,
          '             Keep it: it is shown this once. Applications send it as TRACER_API_KEY.',
        ]),
    `  Data       ${dataDir}`,
    '',
    'Press Ctrl+C to stop.',
  ].join('\n');
}
