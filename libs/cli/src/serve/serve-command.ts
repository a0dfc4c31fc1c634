import { setFlagsFromString } from 'node:v8';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { readHeaders, withHeaderOption } from '../transfer/otlp-words.js';
import { type StorageWords, withStorageOptions } from './storage-options.js';

/**
 * Collects garbage when the heap has doubled since the last collection; V8's default is up to four times. Only for this process,
 * which runs nothing but the service.
 */
const HEAP_GROWTH = '--heap-growing-percent=100';

interface ServeOptions extends StorageWords {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly publicUrl?: string;
  readonly operatorTokenFile?: string;
  readonly reserveMib: number;
  readonly mediaMib: number;
  readonly prices?: string;
  readonly forwardOtlp?: string;
  readonly forwardHeader?: readonly string[];
  readonly metricsPort?: number;
  readonly metricsHost: string;
  readonly logFormat: 'pretty' | 'json';
  readonly logLevel: 'error' | 'warn' | 'info';
  readonly json?: true;
}

/** `dacapo serve`: runs the collector, its embedded database and the dashboard until it is asked to stop. */
export function addServeCommand(program: Command, io: CliIo): void {
  const command = program
    .command('serve')
    .description('run the service, which stores traces and serves the dashboard')
    .option('--port <port>', 'the port to listen on; 0 picks a free one', parsePort, 4100)
    .option(
      '--host <address>',
      'the address to listen on; any other than loopback is reachable from the network',
      '127.0.0.1',
    )
    .option('--data-dir <folder>', 'the database folder', '.dacapo');
  withStorageOptions(command)
    .option(
      '--public-url <url>',
      'the address that people and applications use, if the service is behind a proxy',
    )
    .option(
      '--operator-token-file <file>',
      'a file with the token for creating accounts over HTTP (default: no such route)',
    )
    .option(
      '--reserve-mib <n>',
      'disk space in MiB to reserve, so that deletions work when the disk is full',
      parseMib,
      64,
    )
    .option('--media-mib <n>', 'limit in MiB for images, sounds and files of each account', parseMib, 1024)
    .option('--prices <file>', 'a JSON file with the prices of your own models: see docs/usage.md')
    .addOption(
      new Option(
        '--forward-otlp <url>',
        'an OpenTelemetry receiver to forward all spans to, such as http://127.0.0.1:4318: see docs/opentelemetry-export.md',
      ).env('DACAPO_FORWARD_OTLP'),
    )
    .addOption(
      new Option(
        '--metrics-port <port>',
        'the port of /metrics for Prometheus, without a key (default: none)',
      )
        .argParser(parsePort)
        .env('DACAPO_METRICS_PORT'),
    )
    .addOption(
      new Option('--metrics-host <address>', 'the address of the metrics port')
        .default('127.0.0.1')
        .env('DACAPO_METRICS_HOST'),
    )
    .addOption(
      new Option('--log-format <format>', 'log format on stderr; json: one object per line')
        .choices(['pretty', 'json'])
        .default('pretty')
        .env('DACAPO_LOG_FORMAT'),
    )
    .addOption(
      new Option('--log-level <level>', 'minimum level to log; info also logs each request')
        .choices(['error', 'warn', 'info'])
        .default('warn')
        .env('DACAPO_LOG_LEVEL'),
    )
    .option('--json', 'print {"url","metricsUrl"?,"apiKey"?,"dashboardUrl"} on one line when ready')
    .action((options: ServeOptions) => serve(options, io));
  withHeaderOption(command, '--forward-header', 'DACAPO_FORWARD_HEADERS');
}

async function serve(options: ServeOptions, io: CliIo): Promise<void> {
  setFlagsFromString(HEAP_GROWTH);
  // Lists of processes show arguments, in which there may be a password or a key.
  if ((options.storage ?? options.spans ?? options.forwardHeader) !== undefined)
    process.title = 'dacapo serve';
  const collector = await start(options);
  const stopped = io.untilStopped();
  const { url, metricsUrl, apiKey, dashboardUrl } = collector;
  const ready = {
    url,
    ...(metricsUrl !== undefined && { metricsUrl }),
    ...(apiKey !== undefined && { apiKey }),
    dashboardUrl,
  };
  const isRead = io.stdout.isTTY === true || apiKey !== undefined;
  print(
    io,
    options,
    ready,
    readyMessage({ ...ready, networkUrls: collector.networkUrls, isRead, data: collector.data }),
  );
  const end = await Promise.race([stopped, collector.lost]);
  if (end instanceof Error) {
    await collector.close();
    throw end;
  }
  if (!options.json) io.stderr.write('Stopping. Press Ctrl+C again to stop at once.\n');
  await collector.close();
}

async function start({
  port,
  host,
  dataDir,
  storage,
  storageConnections,
  spans,
  publicUrl,
  prices,
  forwardOtlp,
  forwardHeader = [],
  operatorTokenFile,
  reserveMib,
  mediaMib,
  ...options
}: ServeOptions) {
  // Loaded on use: it takes longer than all other commands together.
  const { startCollector, toClickHouseAddress, toPostgresAddress } = await import('@dacapo/collector');
  return startCollector({
    port,
    host,
    dataDir,
    ...(storage !== undefined && { storage: toPostgresAddress(storage), storageConnections }),
    ...(spans !== undefined && { spans: toClickHouseAddress(spans) }),
    log: { format: options.logFormat, level: options.logLevel },
    ...(options.metricsPort !== undefined && {
      metrics: { port: options.metricsPort, host: options.metricsHost },
    }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(prices !== undefined && { pricesFile: prices }),
    ...(forwardOtlp !== undefined && {
      forwardOtlp: { url: forwardOtlp, headers: readHeaders('--forward-header', forwardHeader) },
    }),
    ...(operatorTokenFile !== undefined && { operatorTokenFile }),
    reserveBytes: reserveMib * 1024 * 1024,
    mediaBytes: mediaMib * 1024 * 1024,
  });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Pass a whole number from 0 to 65535.');
}

function parseMib(text: string): number {
  const mib = Number(text);
  if (/^\d+$/.test(text) && mib <= 1_000_000) return mib;
  throw new InvalidArgumentError('Pass a whole number of MiB, such as 64, or 0 for none.');
}

interface ReadyFacts {
  /** Addresses for other machines. */
  readonly networkUrls: readonly string[];
  readonly url: string;
  readonly metricsUrl?: string;
  readonly apiKey?: string;
  readonly dashboardUrl: string;
  /** Where the data is. */
  readonly data: string;
  /** Whether a person reads the message. Logs must not keep a link that signs in. */
  readonly isRead: boolean;
}

/** The message that `serve` prints when the service is up. */
function readyMessage({
  url,
  networkUrls,
  metricsUrl,
  apiKey,
  dashboardUrl,
  data,
  isRead,
}: ReadyFacts): string {
  return [
    `Dacapo is ready at ${url}`,
    ...networkUrls.map((one) => `             and at ${one}`),
    '',
    ...(isRead
      ? [`  Dashboard  ${dashboardUrl}`, '             Opens signed in; the link works once.']
      : [
          `  Dashboard  ${new URL('/', dashboardUrl).href}`,
          '             Sign in with an API key. Sign-in links are printed only on terminals, not in logs.',
        ]),
    ...(apiKey === undefined
      ? ['  API keys   The first start showed one. Create more on the dashboard, under API keys.']
      : [
          `  API key    ${apiKey}`,
          '             Store it: it is shown only once. Pass it to your application with one of these:',
          ...formatVariables({ TRACER_API_KEY: apiKey, TRACER_SERVICE_URL: url }),
        ]),
    ...(metricsUrl === undefined ? [] : [`  Metrics    ${metricsUrl}`]),
    `  Data       ${data}`,
    '',
    'Press Ctrl+C to stop.',
  ].join('\n');
}

/** Lines to paste into a shell or a file. Keys and addresses have no characters that need quoting. */
function formatVariables(variables: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(variables);
  const assign = (prefix: string, quote: string, separator: string): string =>
    entries.map(([name, value]) => `${prefix}${name}=${quote}${value}${quote}`).join(separator);
  return [
    `  bash, zsh  export ${assign('', '', ' ')}`,
    `  PowerShell ${assign('$env:', "'", '; ')}`,
    `  .env       ${assign('', '', '\n             ')}`,
  ];
}
