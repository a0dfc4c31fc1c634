import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { type Clock, SystemClock } from './clock.js';
import { InvalidOptionError } from './errors.js';
import type { Embedder } from './indexes/embeddings/embedder.js';
import { type CollectorLogger, LOG_FORMATS, LOG_LEVELS, type LogOptions, StderrLogger } from './logger.js';
import { OwnPrices } from './prices/own-prices.js';
import { PriceList } from './prices/price-list.js';
import { openInMemoryStorage } from './storage/drivers/sqlite/open-in-memory-storage.js';
import { openSqliteStorage } from './storage/drivers/sqlite/open-sqlite-storage.js';
import type { Storage, StorageFactory } from './storage/storage.js';

export interface CollectorOptions {
  /** Where the database lies; made when it is missing, readable by this user alone. `.dacapo` when absent. */
  dataDir?: string;
  /** How large the database of the driver `sqlite` may grow, in bytes, from 1 MiB; as large as the disk lets it when absent. */
  maxDatabaseBytes?: number;
  /**
   * Disk space that the driver `sqlite` keeps free for itself, in bytes, so that deletions run when the disk is full; 64 MiB when
   * absent, 0 for none.
   */
  reserveBytes?: number;
  /**
   * Where spans, runs and accounts are kept: `sqlite` (the default) in {@link dataDir}; `memory`, until the process ends;
   * or a function that opens another store, see {@link SpanStore} and {@link MetaStore}.
   */
  storage?: 'sqlite' | 'memory' | StorageFactory;
  /** The address under which browsers reach the service, such as `https://dacapo.example.com`. The listening one when absent. */
  publicUrl?: string;
  /** Where the built dashboard lies; the one that ships with this package when absent. */
  dashboardDir?: string;
  /** How indexes answer queries. */
  indexes?: Readonly<IndexesOptions>;
  /**
   * Memory for the bodies of requests that are being handled, in bytes, from 8 MiB; a quarter of the JavaScript heap's limit, at
   * most 512 MiB, when absent. What comes beyond it is answered 429.
   */
  requestMemoryBytes?: number;
  /**
   * A file with a token of 32 characters or more. Who sends it as `API-Key` may create accounts (`POST /api/v1/accounts`); without it
   * there is no such route.
   */
  operatorTokenFile?: string;
  /**
   * A JSON file with prices of models of your own; they come before those that this package brings. `docs/usage.md` has its form.
   * None when absent.
   */
  pricesFile?: string;
  /** Where Prometheus reads how the service is doing, on a port of its own; nowhere when absent. See docs/operations.md. */
  metrics?: Readonly<MetricsOptions>;
  /** What goes to standard error, and in which form; without effect if {@link logger} is set. */
  log?: Readonly<LogOptions>;
  /** Gets what else goes to standard error. */
  logger?: Readonly<CollectorLogger>;
  /** The system's when absent. */
  clock?: Readonly<Clock>;
}

export interface MetricsOptions {
  /** 0 picks a free one. */
  port: number;
  /** `127.0.0.1` when absent. Whoever reaches it reads the metrics, without a key. */
  host?: string;
}

export interface IndexesOptions {
  /** Finds passages by meaning as well as by words. None when absent. */
  embedder?: Readonly<Embedder>;
}

export interface StartCollectorOptions extends CollectorOptions {
  /** 4100 when absent; 0 picks a free one. */
  port?: number;
  /** `127.0.0.1` when absent: by default nothing outside this machine reaches the service. */
  host?: string;
}

const LEAST_REQUEST_MEMORY = 8 * 1024 * 1024;
const MOST_REQUEST_MEMORY = 512 * 1024 * 1024;

const LEAST_DATABASE = 1024 * 1024;
const DEFAULT_RESERVE = 64 * 1024 * 1024;

type Driver = (
  context: Parameters<StorageFactory>[0],
  options: ResolvedOptions,
) => ReturnType<StorageFactory>;

const DRIVERS: Record<string, Driver> = {
  sqlite: ({ dataDir, clock }, { maxDatabaseBytes, reserveBytes, logger }) =>
    openSqliteStorage(dataDir, clock, { maxDatabaseBytes, reserveBytes, logger }),
  memory: ({ clock }, { logger }) => openInMemoryStorage(clock, logger),
};

/** Options with their defaults. */
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
  readonly prices: PriceList;
  readonly metrics: Required<MetricsOptions> | undefined;
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
      LEAST_REQUEST_MEMORY,
    );
    this.logger = options.logger ?? new StderrLogger(checkLog(options.log));
    this.metrics = options.metrics && {
      host: '127.0.0.1',
      ...options.metrics,
      port: checkPort(options.metrics.port, 'metrics.port'),
    };
    this.clock = options.clock ?? new SystemClock();
    this.maxDatabaseBytes =
      options.maxDatabaseBytes === undefined
        ? undefined
        : checkBytes('maxDatabaseBytes', options.maxDatabaseBytes, LEAST_DATABASE);
    this.operatorToken =
      options.operatorTokenFile === undefined ? undefined : readOperatorToken(options.operatorTokenFile);
    this.reserveBytes = checkBytes('reserveBytes', options.reserveBytes ?? DEFAULT_RESERVE, 0);
    this.prices = new PriceList(
      options.pricesFile === undefined ? undefined : OwnPrices.fromFile(options.pricesFile),
    );
    this.storage = driverOf(options.storage ?? 'sqlite');
  }

  /** @throws DataDirectoryNotWritableError, DataDirectoryInUseError, DatabaseTooNewError, DatabaseUnreleasedError, DatabaseForeignError, DatabaseLostError, DatabaseDamagedError */
  async openStorage(): Promise<Storage> {
    return this.storage({ dataDir: this.dataDir, clock: this.clock }, this);
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
      `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      'Name a file that this user may read.',
    );
  }
  if (/^\S{32,}$/.test(token)) return token;
  throw new InvalidOptionError(
    'operatorTokenFile',
    'must hold a token of 32 characters or more, without spaces',
    'Make one with `openssl rand -hex 32`.',
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
    throw new InvalidOptionError('dataDir', 'is blank', 'Give a path, or leave it out for .dacapo.');
  }
  return dataDir;
}

function defaultRequestMemory(): number {
  const quarter = Math.floor(getHeapStatistics().heap_size_limit / 4);
  return Math.max(LEAST_REQUEST_MEMORY, Math.min(quarter, MOST_REQUEST_MEMORY));
}

function checkBytes(option: string, bytes: number, least: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= least) return bytes;
  throw new InvalidOptionError(
    option,
    `must be a whole number of bytes from ${least} up, not ${bytes}`,
    'Leave it out for the default.',
  );
}

function driverOf(storage: NonNullable<CollectorOptions['storage']>): Driver {
  if (typeof storage === 'function') return storage;
  const open = Object.hasOwn(DRIVERS, storage) ? DRIVERS[storage] : undefined;
  if (open !== undefined) return open;
  throw new InvalidOptionError(
    'storage',
    `must be "sqlite", "memory" or a function that opens a store, not ${JSON.stringify(storage)}`,
    'Leave it out for SQLite.',
  );
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
  const numbers = { dimensions: [dimensions, 8192], batchSize: [batchSize ?? 1, 2048] } as const;
  const times = {
    timeoutMs: [timeoutMs ?? 1, 600_000],
    queryTimeoutMs: [queryTimeoutMs ?? 1, 60_000],
  } as const;
  for (const [field, [value, most]] of Object.entries({ ...numbers, ...times })) {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) continue;
    fail(field, `must be a whole number from 1 to ${most}, not ${String(value)}`, 'Correct it.');
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
