import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@clickhouse/client';
import {
  type ClickHouseAddress,
  toClickHouseAddress,
  toLogin,
} from '../../src/storage/engines/clickhouse/address.js';

const PROGRAM = join(__dirname, '../../../../test/engines/serve-chdb.mjs');

/** The ClickHouse at `DACAPO_TEST_CLICKHOUSE`, or else ClickHouse's engine in a process of its own. */
export class ClickHouseServer {
  private constructor(
    private readonly address: ClickHouseAddress,
    private readonly own?: { process: ChildProcess; directory: string },
  ) {}

  /** Of the process that has the engine; `undefined`: an outside server. */
  get pid(): number | undefined {
    return this.own?.process.pid;
  }

  static async start(): Promise<ClickHouseServer> {
    const outside = process.env['DACAPO_TEST_CLICKHOUSE'];
    if (outside !== undefined) return new ClickHouseServer(toClickHouseAddress(outside));
    const directory = mkdtempSync(join(tmpdir(), 'dacapo-clickhouse-'));
    const child = spawn(process.execPath, [PROGRAM, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await Promise.race([
      once(createInterface(child.stdout), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error('chdb did not start'))),
    ])) as [string];
    return new ClickHouseServer(`clickhouse://127.0.0.1:${port}`, { process: child, directory });
  }

  /** @returns the address of a new database */
  async createDatabase(): Promise<ClickHouseAddress> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    const client = createClient(toLogin(this.address));
    await client.command({ query: `CREATE DATABASE ${name}` });
    await client.close();
    const url = new URL(this.address);
    url.pathname = name;
    return toClickHouseAddress(url.href);
  }

  async stop(): Promise<void> {
    if (this.own === undefined) return;
    this.own.process.kill('SIGKILL');
    rmSync(this.own.directory, { recursive: true, force: true });
  }
}
