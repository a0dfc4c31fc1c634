import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountService } from './accounts/account-service.js';
import { BrowserSessions } from './accounts/browser-sessions.js';
import { CollectorModule } from './collector.module.js';
import { listenError, type StorageError } from './errors.js';
import { FASTIFY_OPTIONS } from './http/fastify-options.js';
import { CollectorLogger, describeError, StderrLogger } from './logger.js';
import { checkLog, checkPort, type StartCollectorOptions } from './options.js';
import { ServiceAddress } from './service-address.js';
import { NestLogger } from './nest-logger.js';
import { STORAGE, type Storage } from './storage/storage.js';
import { MetricsListener } from './telemetry/metrics-listener.js';

function nestOptions(logger: Readonly<CollectorLogger>): Readonly<NestApplicationOptions> {
  return { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) };
}

/** How long requests that are under way may take when the service closes. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface RunningCollector {
  /** Where the service listens. */
  url: string;
  /** Under which addresses other machines reach the service; none when it listens on loopback. */
  networkUrls: string[];
  /** Where Prometheus reads, with the option `metrics`. */
  metricsUrl?: string;
  /** The first account's key: on the first start alone. It is not kept anywhere. */
  apiKey?: string;
  /** Signs one browser in, once, within a day. */
  dashboardUrl: string;
  /**
   * Settles when the store gave up for good, such as when a thread of the database does not open again. The service then answers
   * 503; close it, and start it again. Never settles otherwise.
   */
  lost: Promise<StorageError>;
  /** Commits what was taken in and lets go of the port and the data. Calling it again waits for the same. */
  close(): Promise<void>;
}

/**
 * Starts the service. On the first start it makes one account and one API key.
 *
 * @throws InvalidOptionError when an option has a value that cannot work
 * @throws DataDirectoryNotWritableError when `dataDir` cannot be made or written
 * @throws DataDirectoryInUseError when another collector runs on `dataDir`
 * @throws DatabaseTooNewError when a later version of the collector wrote the database
 * @throws DatabaseUnreleasedError when a version from before the first release wrote the database
 * @throws DatabaseForeignError when the data directory holds another program's file in the database's place
 * @throws DatabaseLostError when the database is empty and its log is not
 * @throws DatabaseDamagedError when the database's schema cannot be read, as of a truncated file
 * @throws PortInUseError when another program listens on the port
 * @throws CannotListenError when the address cannot be listened on
 */
export async function startCollector(options: StartCollectorOptions = {}): Promise<RunningCollector> {
  const { port = 4100, host = '127.0.0.1', ...collectorOptions } = options;
  checkPort(port);
  const logger = options.logger ?? new StderrLogger(checkLog(options.log));
  const app = await NestFactory.create<NestFastifyApplication>(
    CollectorModule.forRoot({ ...collectorOptions, logger }),
    new FastifyAdapter(FASTIFY_OPTIONS),
    nestOptions(logger),
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
        `The service is open to the network on ${host}, without TLS: ${address.networkUrls.join(', ') || 'no address yet'}. Keys and recorded data travel in clear text; put a TLS proxy in front, and set publicUrl.`,
      );
    }
    const { url: metricsUrl } = app.get(MetricsListener);
    let closed: Promise<void> | undefined;
    return {
      url: address.listeningUrl,
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
