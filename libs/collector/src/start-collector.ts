import type { LoggerService, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountService } from './accounts/account-service.js';
import { BrowserSessions } from './accounts/browser-sessions.js';
import { CollectorModule } from './collector.module.js';
import { listenError, type StorageError } from './errors.js';
import { FASTIFY_OPTIONS } from './http/fastify-options.js';
import { CollectorLogger, describeError, errorFields, StderrLogger } from './logger.js';
import { checkLog, checkPort, ResolvedOptions, type StartCollectorOptions } from './options.js';
import { ServiceAddress } from './service-address.js';
import { STORAGE, type Storage } from './storage/storage.js';
import { MetricsListener } from './telemetry/metrics-listener.js';

/** Errors of these contexts occur while the service starts, and are thrown to the caller. */
const START_CONTEXTS: ReadonlySet<unknown> = new Set(['ExceptionHandler', 'NestApplication']);

/** When the service closes, running requests have this time to end. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface RunningCollector {
  /** The listening address. */
  url: string;
  /** The addresses for other machines; none when the service listens on loopback. */
  networkUrls: string[];
  /** The address of the Prometheus metrics, with the option `metrics`. */
  metricsUrl?: string;
  /** The first account's key, on the first start only. The service stores its hash. */
  apiKey?: string;
  /** Where the data is: a folder, or the address of a database without its password. */
  data: string;
  /** Signs in one browser, once, within a day. */
  dashboardUrl: string;
  /**
   * Resolves when the store fails permanently, such as when a thread of the database cannot be restarted. The service then answers 503:
   * close it and start it again. Otherwise, it never settles.
   */
  lost: Promise<StorageError>;
  /** Commits accepted records and releases port and data directory. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts the service. The first start creates an account and an API key.
 *
 * @throws InvalidOptionError when an option is invalid
 * @throws DataDirectoryNotWritableError when `dataDir` cannot be created or written
 * @throws DataDirectoryInUseError when another collector uses `dataDir`
 * @throws DatabaseTooNewError when a later version of the collector wrote the database
 * @throws DatabaseUnreleasedError when a version from before the first release wrote the database
 * @throws DatabaseForeignError when the database file belongs to another program
 * @throws DatabaseLostError when the database is empty and its log is not
 * @throws DatabaseDamagedError when the database's schema cannot be read, for example in a truncated file
 * @throws PortInUseError when another program listens on the port
 * @throws CannotListenError when the service cannot listen on the address
 */
export async function startCollector(options: StartCollectorOptions = {}): Promise<RunningCollector> {
  const { port = 4100, host = '127.0.0.1', ...collectorOptions } = options;
  checkPort(port);
  const logger = options.logger ?? new StderrLogger(checkLog(options.log));
  const nestOptions: Readonly<NestApplicationOptions> = {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    CollectorModule.forRoot({ ...collectorOptions, logger }),
    new FastifyAdapter(FASTIFY_OPTIONS),
    nestOptions,
  );
  try {
    await app.init();
    await listen(app, port, host);
    const { account, apiKey } = await app.get(AccountService).ensureFirst();
    const token = await app.get(BrowserSessions).issueSignInToken(account.id);
    const address = app.get(ServiceAddress);
    checkInBackground(app);
    if (address.isOpen) {
      logger.warn(
        `The service is reachable from the network on ${host}, without TLS: ${address.networkUrls.join(', ') || 'no address yet'}. Keys and recorded data travel unencrypted. Put a TLS proxy in front, and set publicUrl.`,
      );
    }
    const { url: metricsUrl } = app.get(MetricsListener);
    let closed: Promise<void> | undefined;
    return {
      url: address.listeningUrl,
      data: app.get(ResolvedOptions).data,
      networkUrls: address.networkUrls,
      ...(metricsUrl !== undefined && { metricsUrl }),
      ...(apiKey !== undefined && { apiKey }),
      dashboardUrl: `${address.url}/sign-in?token=${token}`,
      lost: app.get<Storage>(STORAGE).lost ?? new Promise(() => undefined),
      close: () => (closed ??= closeApplication(app)),
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function listen(app: NestFastifyApplication, port: number, host: string): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    throw listenError(host, port, error);
  }
}

function checkInBackground(app: NestFastifyApplication): void {
  app
    .get<Storage>(STORAGE)
    .check?.()
    .catch((error: unknown) => {
      app.get(CollectorLogger).error(describeError(error));
    });
}

async function closeApplication(app: NestFastifyApplication): Promise<void> {
  const overdue = setTimeout(() => {
    app.getHttpServer().closeAllConnections();
  }, CLOSE_TIMEOUT_MS);
  await app.close();
  clearTimeout(overdue);
}

/** Writes Nest's warnings and errors to the service's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Readonly<CollectorLogger>) {}

  log(): void {
    // Modules and routes are the same at every start.
  }

  warn(message: unknown): void {
    this.logger.warn(toText(message));
  }

  /** @param details a stack and a context; the context is last */
  error(message: unknown, ...details: unknown[]): void {
    if (START_CONTEXTS.has(details.at(-1))) return;
    this.logger.error(toText(message), message instanceof Error ? errorFields(message) : {});
  }
}

function toText(message: unknown): string {
  return typeof message === 'string' ? message : describeError(message);
}
