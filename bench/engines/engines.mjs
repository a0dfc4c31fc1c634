/** The compared engines, each with collectors on its own database. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { installClickHouse } from '../../scripts/clickhouse.mjs';
import { openClient } from '../collector/client.mjs';
import { readCpuSeconds } from './cpu.mjs';

// The servers that tests use, loaded by `require` because they use `__dirname`.
const require = createRequire(import.meta.url);
const { toLogin } = require('../../libs/collector/src/storage/engines/clickhouse/address.ts');
const { ClickHouseServer } = require('../../libs/collector/test/support/clickhouse-server.ts');
const { OwnPostgresServer, queryDatabase } = require('../../libs/collector/test/support/postgres-server.ts');

/** Collectors on one database. */
export class Arm {
  #processes;
  #clients;
  #senders;

  /**
   * @param options for each collector
   * @param count of collectors
   * @param clients requests at a time, to all collectors together
   * @param server `{ pid, readDiskBytes }` of the database server, if any
   */
  static async start(options, { count = 1, clients = 8, server } = {}) {
    const arm = new Arm();
    arm.directory = mkdtempSync(join(tmpdir(), 'dacapo-engines-'));
    arm.server = server;
    const started = [];
    for (let n = 0; n < count; n++) {
      // A reserve is not data.
      const args = [arm.directory, JSON.stringify({ reserveBytes: 0, ...options })];
      const process = fork(join(import.meta.dirname, '../collector/collector-process.mjs'), args, {
        execArgv: [],
      });
      const [ready] = await once(process, 'message');
      started.push({ process, ...ready });
    }
    // The first collector makes the account.
    const { apiKey } = started[0];
    arm.#processes = started.map(({ process }) => process);
    arm.#senders = clients;
    arm.#clients = started.map(({ url }) => openClient(url, apiKey, Math.ceil(clients / count)));
    return arm;
  }

  get client() {
    return this.#clients[0];
  }

  get pids() {
    return [...this.#processes.map(({ pid }) => pid), this.server?.pid];
  }

  /** @returns seconds of the collectors, and of the database's server */
  readCpu() {
    const collectors = this.#processes.map(({ pid }) => readCpuSeconds(pid));
    return {
      collectors: collectors.reduce((a, b) => a + b),
      server: this.server === undefined ? 0 : readCpuSeconds(this.server.pid),
    };
  }

  async readDiskBytes() {
    return sumFiles(this.directory) + ((await this.server?.readDiskBytes()) ?? 0);
  }

  /** Sends bodies from several concurrent clients, distributed equally over the collectors. */
  async send(bodies) {
    const waiting = [...bodies];
    const senders = Array.from({ length: this.#senders }, async (_, n) => {
      const client = this.#clients[n % this.#clients.length];
      for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
        const { rejected } = JSON.parse(await client.ingest(body));
        if (rejected.length > 0) throw new Error(`Rejected: ${JSON.stringify(rejected[0])}`);
      }
    });
    await Promise.all(senders);
  }

  async close() {
    for (const client of this.#clients) client.close();
    for (const process of this.#processes) {
      process.send('stop');
      await once(process, 'exit');
    }
    this.#removeDirectory();
  }

  /** Ends collectors that may not answer. */
  async kill() {
    for (const client of this.#clients) client.close();
    for (const process of this.#processes) {
      if (process.exitCode !== null || process.signalCode !== null) continue;
      process.kill('SIGKILL');
      await once(process, 'exit');
    }
    this.#removeDirectory();
  }

  #removeDirectory() {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Starts PostgreSQL with its default settings. */
export class Postgres {
  #server;

  static async start() {
    const postgres = new Postgres();
    postgres.#server = await OwnPostgresServer.start();
    const address = await postgres.#server.createDatabase();
    // Tests do without.
    await queryDatabase(address, 'ALTER SYSTEM SET fsync = on');
    await queryDatabase(address, 'SELECT pg_reload_conf()');
    const [{ pid }] = await queryDatabase(
      address,
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
    );
    postgres.pid = pid;
    return postgres;
  }

  /** @param options `count` and `clients` of `Arm.start`, for collectors on one new database */
  async startArm(options) {
    const storage = await this.#server.createDatabase();
    const readDiskBytes = async () => {
      const [{ bytes }] = await queryDatabase(
        storage,
        'SELECT pg_database_size(current_database()) AS bytes',
      );
      return Number(bytes);
    };
    return Arm.start({ storage }, { ...options, server: { pid: this.pid, readDiskBytes } });
  }

  stop() {
    return this.#server.stop();
  }
}

/** ClickHouse's engine, or the server at DACAPO_TEST_CLICKHOUSE, with everything but spans in SQLite. */
export class ClickHouse {
  #server;

  static async start() {
    const clickhouse = new ClickHouse();
    await installClickHouse();
    clickhouse.#server = await ClickHouseServer.start();
    return clickhouse;
  }

  async startArm(options) {
    const spans = await this.#server.createDatabase();
    const server = { pid: this.#server.pid, readDiskBytes: () => sumParts(spans) };
    return Arm.start({ spans }, { ...options, server });
  }

  stop() {
    return this.#server.stop();
  }
}

/** Size of the active parts. ClickHouse deletes merged parts soon. */
async function sumParts(address) {
  const client = createClient(toLogin(address));
  const query =
    'SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = currentDatabase()';
  const [{ bytes }] = await (await client.query({ query, format: 'JSONEachRow' })).json();
  await client.close();
  return Number(bytes);
}

function sumFiles(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
