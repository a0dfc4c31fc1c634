import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { type Clock, SystemClock } from './clock.js';
import { errorMessage, InvalidOptionError, StorageHalfCopiedError } from './errors.js';
import type { Embedder } from './embedder.js';
import { type OtlpOptions, type OtlpTarget, toOtlpTarget } from './otlp-target.js';
import { type CollectorLogger, LOG_FORMATS, LOG_LEVELS, type LogOptions, StderrLogger } from './logger.js';
import { OwnPrices } from './prices/own-prices.js';
import { PriceList } from './prices/price-list.js';
import { type ClickHouseAddress, toClickHouseAddress } from './storage/engines/clickhouse/address.js';
import { isPostgresAddress, type PostgresAddress } from './storage/engines/postgres/address.js';
import { openInMemoryStorage } from './storage/engines/sqlite/open-in-memory-storage.js';
import { openSqliteStorage } from './storage/engines/sqlite/open-sqlite-storage.js';
import { maskAddress } from './storage/mask-address.js';
import type { Storage, StorageFactory } from './storage/storage.js';

export interface CollectorOptions {
  /** The directory of the database; created if missing, readable by this user only. Default: `.dacapo`. */
  dataDir?: string;
  /** Maximum size of the SQLite database in bytes, from 1 MiB. Default: no limit but the disk. */
  maxDatabaseBytes?: number;
  /** Disk space in bytes that SQLite reserves, so that deletions work on a full disk. Default: 64 MiB; 0 reserves none. */
  reserveBytes?: number;
  /**
   * Bytes of images, sounds and files that one account may store. Beyond it, only hash, type and size are stored. Default: 1 GiB.
   */
  mediaBytes?: number;
  /**
   * Where spans, runs and accounts are stored: `sqlite` (the default) in {@link dataDir}; `memory` until the process ends; a PostgreSQL
   * database such as `postgres://user:password@host/database`, which any number of collectors may share; or a function that opens another
   * store, see {@link SpanStore} and {@link MetaStore}.
   */
  storage?: 'sqlite' | 'memory' | PostgresAddress | StorageFactory;
  /**
   * Connections of this collector to PostgreSQL, from 2; up to five more hold locks of background work. All collectors together need fewer
   * than the database's `max_connections`. Default: 20.
   */
  storageConnections?: number;
  /**
   * A ClickHouse database for spans, such as `clickhouse://user:password@host:8123/database`; everything else stays in {@link storage}.
   * Needs the package `@clickhouse/client`. Default: spans are stored in {@link storage}, too.
   */
  spans?: ClickHouseAddress;
  /** The address at which browsers reach the service, such as `https://dacapo.example.com`. Default: the listening address. */
  publicUrl?: string;
  /** The directory of the built dashboard. Default: the one of this package. */
  dashboardDir?: string;
  indexes?: Readonly<IndexesOptions>;
  /**
   * Memory in bytes for the bodies of requests that are being handled, from 8 MiB. Requests beyond it are answered with 429. Default: a
   * quarter of the JavaScript heap's limit, at most 512 MiB.
   */
  requestMemoryBytes?: number;
  /**
   * A file with a token of at least 32 characters. A request that sends it as `API-Key` may create accounts (`POST /api/v1/accounts`).
   * Without the option, the route does not exist.
   */
  operatorTokenFile?: string;
  /** A JSON file with your own model prices, which have precedence over those of this package. docs/usage.md has its form. */
  pricesFile?: string;
  /**
   * Forwards the stored, masked spans of all accounts by OTLP, at least once each. Collectors that share a database need the same option.
   * Default: no forwarding. See docs/opentelemetry-export.md.
   */
  forwardOtlp?: Readonly<OtlpOptions>;
  /** Serves Prometheus metrics on a separate port. Default: no metrics. See docs/operations.md. */
  metrics?: Readonly<MetricsOptions>;
  /** Level and format of the log on standard error. Ignored if {@link logger} is set. */
  log?: Readonly<LogOptions>;
  /** Receives the log instead of standard error. */
  logger?: Readonly<CollectorLogger>;
  /** Default: the time of the PostgreSQL database that {@link storage} names, else the system's clock. */
  clock?: Readonly<Clock>;
}

export interface MetricsOptions {
  /** 0 picks a free port. */
  port: number;
  /** Default: `127.0.0.1`. Reading the metrics needs no key. */
  host?: string;
}

export interface IndexesOptions {
  /** Finds passages by meaning as well as by words. Default: by words only. */
  embedder?: Readonly<Embedder>;
}

export interface StartCollectorOptions extends CollectorOptions {
  /** Default: 4100; 0 picks a free port. */
  port?: number;
  /** Default: `127.0.0.1`, so other machines cannot reach the service. */
  host?: string;
}

const MIN_REQUEST_MEMORY = 8 * 1024 * 1024;
const MAX_REQUEST_MEMORY = 512 * 1024 * 1024;

const MIN_DATABASE_BYTES = 1024 * 1024;
const DEFAULT_RESERVE_BYTES = 64 * 1024 * 1024;
const DEFAULT_MEDIA_BYTES = 1024 * 1024 * 1024;

type Driver = (
  context: Parameters<StorageFactory>[0],
  options: ResolvedOptions,
) => ReturnType<StorageFactory>;

const DRIVERS: Record<string, Driver> = {
  sqlite: ({ dataDir, clock }, { maxDatabaseBytes, reserveBytes, logger }) =>
    openSqliteStorage(dataDir, clock, { maxDatabaseBytes, reserveBytes, logger }),
  memory: ({ clock }, { logger }) => openInMemoryStorage(clock, logger),
};

/** Validated options with their defaults. */
export class ResolvedOptions {
  readonly dataDir: string;
  readonly publicUrl: string | undefined;
  readonly dashboardDir: string;
  readonly embedder: Readonly<Embedder> | undefined;
  readonly requestMemoryBytes: number;
  readonly logger: Readonly<CollectorLogger>;
  readonly clock: Readonly<Clock>;
  readonly maxDatabaseBytes: number | undefined;
  readonly operatorToken: string | undefined;
  readonly reserveBytes: number;
  readonly mediaBytes: number;
  readonly prices: PriceList;
  readonly metrics: Required<MetricsOptions> | undefined;
  readonly forwardOtlp: OtlpTarget | undefined;
  /** Where the data is, for messages: a folder, or the address of a database without its password. */
  readonly data: string;
  readonly storageConnections: number | undefined;
  /** Whether the time of a store that several processes share counts. */
  readonly followsStorageClock: boolean;
  private readonly storage: Driver;

  /** @throws InvalidOptionError */
  constructor(options: CollectorOptions) {
    this.dataDir = checkDataDir(options.dataDir ?? '.dacapo');
    this.publicUrl = options.publicUrl === undefined ? undefined : checkPublicUrl(options.publicUrl);
    this.dashboardDir = options.dashboardDir ?? join(packageDir(), 'dist/dashboard');
    const embedder = options.indexes?.embedder;
    this.embedder = embedder && checkEmbedder(embedder);
    this.requestMemoryBytes = checkBytes(
      'requestMemoryBytes',
      options.requestMemoryBytes ?? defaultRequestMemory(),
      MIN_REQUEST_MEMORY,
    );
    this.logger = options.logger ?? new StderrLogger(checkLog(options.log));
    this.metrics = options.metrics && {
      host: '127.0.0.1',
      ...options.metrics,
      port: checkPort(options.metrics.port, 'metrics.port'),
    };
    this.forwardOtlp = options.forwardOtlp && toOtlpTarget('forwardOtlp', options.forwardOtlp);
    this.clock = options.clock ?? new SystemClock();
    this.followsStorageClock = options.clock === undefined;
    this.storageConnections =
      options.storageConnections === undefined ? undefined : checkConnections(options.storageConnections);
    this.maxDatabaseBytes =
      options.maxDatabaseBytes === undefined
        ? undefined
        : checkBytes('maxDatabaseBytes', options.maxDatabaseBytes, MIN_DATABASE_BYTES);
    this.operatorToken =
      options.operatorTokenFile === undefined ? undefined : readOperatorToken(options.operatorTokenFile);
    this.reserveBytes = checkBytes('reserveBytes', options.reserveBytes ?? DEFAULT_RESERVE_BYTES, 0);
    this.mediaBytes = checkBytes('mediaBytes', options.mediaBytes ?? DEFAULT_MEDIA_BYTES, 0);
    this.prices = new PriceList(
      options.pricesFile === undefined ? undefined : OwnPrices.fromFile(options.pricesFile),
    );
    const storage = options.storage ?? 'sqlite';
    const spans = options.spans === undefined ? undefined : toClickHouseAddress(options.spans);
    this.storage = spans === undefined ? findDriver(storage) : withClickHouse(findDriver(storage), spans);
    const data = isPostgresAddress(storage) ? maskAddress(storage) : resolve(this.dataDir);
    this.data = spans === undefined ? data : `${data}, spans in ${maskAddress(spans)}`;
  }

  /** @throws DataDirectoryNotWritableError, DataDirectoryInUseError, DatabaseTooNewError, DatabaseUnreleasedError, DatabaseForeignError, DatabaseLostError, DatabaseDamagedError */
  async openStorage(): Promise<Storage> {
    return this.storage({ dataDir: this.dataDir, clock: this.clock }, this);
  }

  /** As {@link openStorage}, for a collector. @throws StorageHalfCopiedError when a migration has not finished it */
  async openFinishedStorage(): Promise<Storage> {
    const storage = await this.openStorage();
    const transfer = await storage.meta.transfers.find();
    if (transfer === undefined) return storage;
    await storage.close();
    throw new StorageHalfCopiedError(this.data, transfer.source);
  }
}

/** @throws InvalidOptionError */
export function checkLog({ format, level }: Readonly<LogOptions> = {}): LogOptions {
  const check = <T extends string>(option: string, value: T, allowed: readonly T[]): T => {
    if (allowed.includes(value)) return value;
    throw new InvalidOptionError(
      option,
      `must be ${allowed.join(' or ')}, not ${JSON.stringify(value)}`,
      'Correct it.',
    );
  };
  return {
    ...(format !== undefined && { format: check('log.format', format, LOG_FORMATS) }),
    ...(level !== undefined && { level: check('log.level', level, LOG_LEVELS) }),
  };
}

function readOperatorToken(path: string): string {
  let token: string;
  try {
    token = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new InvalidOptionError(
      'operatorTokenFile',
      `cannot be read: ${errorMessage(error)}`,
      'Name a file that this user can read.',
    );
  }
  if (/^\S{32,}$/.test(token)) return token;
  throw new InvalidOptionError(
    'operatorTokenFile',
    'must contain a token of at least 32 characters without spaces',
    'Create one with `openssl rand -hex 32`.',
  );
}

/** @throws InvalidOptionError */
export function checkPort(port: number, option = 'port'): number {
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new InvalidOptionError(
      option,
      `must be a whole number from 0 to 65535, not ${port}`,
      'Port 0 picks a free one.',
    );
  }
  return port;
}

function checkDataDir(dataDir: string): string {
  if (dataDir.trim() === '') {
    throw new InvalidOptionError('dataDir', 'is blank', 'Pass a path, or omit it for .dacapo.');
  }
  return dataDir;
}

function defaultRequestMemory(): number {
  const quarter = Math.floor(getHeapStatistics().heap_size_limit / 4);
  return Math.max(MIN_REQUEST_MEMORY, Math.min(quarter, MAX_REQUEST_MEMORY));
}

function checkBytes(option: string, bytes: number, min: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= min) return bytes;
  throw new InvalidOptionError(
    option,
    `must be a whole number of bytes of at least ${min}, not ${bytes}`,
    'Omit it for the default.',
  );
}

function checkConnections(connections: number): number {
  if (Number.isInteger(connections) && connections >= 2 && connections <= 1000) return connections;
  throw new InvalidOptionError(
    'storageConnections',
    `must be a whole number from 2 to 1000, not ${connections}`,
    'Omit it for the default.',
  );
}

function findDriver(storage: NonNullable<CollectorOptions['storage']>): Driver {
  if (typeof storage === 'function') return storage;
  const open = Object.hasOwn(DRIVERS, storage) ? DRIVERS[storage] : undefined;
  if (open !== undefined) return open;
  if (isPostgresAddress(storage)) return (_, options) => openPostgres(storage, options);
  throw new InvalidOptionError(
    'storage',
    `must be "sqlite", "memory", the address of a PostgreSQL database or a function that opens a store, not ${maskAddress(JSON.stringify(storage))}`,
    'Omit it for SQLite, or write it as postgres://user:password@host/database.',
  );
}

/** Loaded on use: without PostgreSQL, a service starts without its client. */
async function openPostgres(
  address: PostgresAddress,
  { clock, followsStorageClock, logger, storageConnections }: ResolvedOptions,
): Promise<Storage> {
  const { openPostgresStorage } = await import('./storage/engines/postgres/open-postgres-storage.js');
  return openPostgresStorage(address, {
    logger,
    ...(followsStorageClock && { clock }),
    ...(storageConnections !== undefined && { connections: storageConnections }),
  });
}

/** Loaded on use, as PostgreSQL's. */
function withClickHouse(open: Driver, address: ClickHouseAddress): Driver {
  return async (context, options) => {
    const { openClickHouseSpans } = await import('./storage/engines/clickhouse/open-clickhouse-spans.js');
    return openClickHouseSpans(address, await open(context, options), context.clock);
  };
}

function checkEmbedder(embedder: Readonly<Embedder>): Readonly<Embedder> {
  const { name, dimensions, embed, batchSize, timeoutMs, queryTimeoutMs } = embedder as Partial<Embedder>;
  const fail = (field: string, problem: string, cure: string): never => {
    throw new InvalidOptionError(`indexes.embedder.${field}`, problem, cure);
  };
  if (typeof embed !== 'function') fail('embed', 'must be a function', 'Give (texts) => vectors.');
  if (typeof name !== 'string' || name.trim() === '' || name.length > 200) {
    fail('name', 'must be a text of 1 to 200 characters', 'Name the model.');
  }
  const numbers = {
    dimensions: [dimensions, 8192],
    batchSize: [batchSize ?? 1, 2048],
    timeoutMs: [timeoutMs ?? 1, 600_000],
    queryTimeoutMs: [queryTimeoutMs ?? 1, 60_000],
  } as const;
  for (const [field, [value, max]] of Object.entries(numbers)) {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) continue;
    fail(field, `must be a whole number from 1 to ${max}, not ${String(value)}`, 'Correct it.');
  }
  return embedder;
}

function packageDir(): string {
  return dirname(require.resolve('@dacapo/collector/package.json'));
}

function checkPublicUrl(publicUrl: string): string {
  if (!URL.canParse(publicUrl) || !/^https?:$/.test(new URL(publicUrl).protocol)) {
    throw new InvalidOptionError(
      'publicUrl',
      `must be an absolute http or https address, not ${JSON.stringify(publicUrl)}`,
      'Write it as https://dacapo.example.com.',
    );
  }
  return publicUrl.replace(/\/+$/, '');
}
