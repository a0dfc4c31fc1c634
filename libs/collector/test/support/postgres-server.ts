import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

/** A PostgreSQL of its own on a Unix socket in a temporary folder. PostgreSQL refuses root, which becomes the user `postgres`. */
export class PostgresServer {
  private constructor(private readonly directory: string) {}

  static async start(): Promise<PostgresServer> {
    const directory = mkdtempSync(join(tmpdir(), 'dacapo-postgres-'));
    const owner = findOwner();
    if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
    const server = new PostgresServer(directory);
    await run('initdb', ['-D', join(directory, 'data'), '-U', 'dacapo', '--auth=trust', '--no-sync'], {
      ...owner,
    });
    const options = `-k ${directory} -c listen_addresses= -c fsync=off`;
    await server.control('start', '-w', '-l', join(directory, 'log'), '-o', options);
    return server;
  }

  /** @returns the address of a new database */
  async createDatabase(): Promise<string> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await this.query(
      'postgres',
      `CREATE DATABASE ${name} LOCALE_PROVIDER icu ICU_LOCALE 'en-US' TEMPLATE template0`,
    );
    return this.databaseUrl(name);
  }

  async stop(): Promise<void> {
    await this.control('stop', '-m', 'immediate');
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async control(...command: string[]): Promise<void> {
    await run('pg_ctl', ['-D', join(this.directory, 'data'), ...command], { ...findOwner() });
  }

  private databaseUrl(database: string): string {
    return `postgres://dacapo@/${database}?host=${encodeURIComponent(this.directory)}`;
  }

  private async query(database: string, sql: string): Promise<void> {
    const client = new Client({ connectionString: this.databaseUrl(database) });
    await client.connect();
    await client.query(sql);
    await client.end();
  }
}

/** Who runs it, where this process is root. */
function findOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string): number => Number(spawnSync('id', [option, 'postgres']).stdout);
  return { uid: id('-u'), gid: id('-g') };
}
