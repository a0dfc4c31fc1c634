import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type PostgresAddress, toPostgresAddress } from '../../src/storage/engines/postgres/address.js';

const run = promisify(execFile);

/** The PostgreSQL at `DACAPO_TEST_POSTGRES`, or else one of its own, see {@link OwnPostgresServer}. */
export class PostgresServer {
  protected constructor(private readonly address: () => string) {}

  static async start(): Promise<PostgresServer> {
    const outside = process.env['DACAPO_TEST_POSTGRES'];
    return outside === undefined ? OwnPostgresServer.start() : new PostgresServer(() => outside);
  }

  /** @returns the address of a new database */
  async createDatabase(): Promise<PostgresAddress> {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await this.query(`CREATE DATABASE ${name} LOCALE_PROVIDER icu ICU_LOCALE 'en-US' TEMPLATE template0`);
    const [, start = '', query = ''] = /^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*(.*)$/.exec(this.address()) ?? [];
    return toPostgresAddress(start + name + query);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  protected async query(sql: string): Promise<void> {
    await queryDatabase(this.address(), sql);
  }
}

/** A PostgreSQL of its own on a Unix socket in a temporary folder. PostgreSQL refuses root, which becomes the user `postgres`. */
export class OwnPostgresServer extends PostgresServer {
  private port = 5432;

  private constructor(private readonly directory: string) {
    super(() => `postgres://dacapo@/postgres?host=${encodeURIComponent(directory)}&port=${this.port}`);
  }

  static override async start(): Promise<OwnPostgresServer> {
    const directory = mkdtempSync(join(tmpdir(), 'dacapo-postgres-'));
    const owner = findOwner();
    if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
    const server = new OwnPostgresServer(directory);
    await run('initdb', ['-D', join(directory, 'data'), '-U', 'dacapo', '--auth=trust', '--no-sync'], {
      ...owner,
    });
    server.configure('listen_addresses', '');
    server.configure('unix_socket_directories', directory);
    server.configure('fsync', 'off');
    // The services of a file may all start before the first idle connection is closed.
    server.configure('max_connections', '500');
    await server.control('start', '-w', '-l', join(directory, 'log'));
    return server;
  }

  /**
   * Has the server listen on localhost for TLS connections with a password, with a certificate that it signs itself.
   *
   * @returns the port, and the file of the certificate
   */
  async useTls(password: string): Promise<{ port: number; certificate: string }> {
    const certificate = join(this.directory, 'data', 'server.crt');
    const key = join(this.directory, 'data', 'server.key');
    await run(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'].concat([
        '-addext',
        'subjectAltName=DNS:localhost',
        '-keyout',
        key,
        '-out',
        certificate,
      ]),
      { ...findOwner() },
    );
    await this.query(`ALTER USER dacapo PASSWORD '${password}'`);
    this.port = await findPort();
    this.configure('listen_addresses', 'localhost');
    this.configure('port', String(this.port));
    this.configure('ssl', 'on');
    const access = 'local all all trust\nhostssl all all all scram-sha-256\n';
    writeFileSync(join(this.directory, 'data', 'pg_hba.conf'), access);
    await this.restart('fast');
    return { port: this.port, certificate };
  }

  /** @param how `immediate`: as if it was killed */
  async restart(how: 'fast' | 'immediate'): Promise<void> {
    await this.control('restart', '-w', '-m', how, '-l', join(this.directory, 'log'));
  }

  override async stop(): Promise<void> {
    await this.control('stop', '-m', 'immediate');
    rmSync(this.directory, { recursive: true, force: true });
  }

  private configure(setting: string, value: string): void {
    appendFileSync(join(this.directory, 'data', 'postgresql.conf'), `${setting} = '${value}'\n`);
  }

  private async control(...command: string[]): Promise<void> {
    // The recovery after an immediate stop may take long on a busy machine.
    const patient = ['-t', '600', '-D', join(this.directory, 'data')];
    await run('pg_ctl', [...patient, ...command], { ...findOwner() });
  }
}

/** Runs one statement on a connection of its own. */
export async function queryDatabase<R extends object>(
  address: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query<R>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** The columns in which some row has a text. */
export async function findText(address: string, text: string): Promise<string[]> {
  const columns = await queryDatabase<{ name: string; table: string; column: string }>(
    address,
    `SELECT table_name || '.' || column_name AS name, table_name AS table, column_name AS column
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1`,
  );
  const counts = columns.map(
    ({ name, table, column }) =>
      `SELECT '${name}' AS name FROM ${table} WHERE strpos(lower(${column}::text), lower($1)) > 0`,
  );
  const found = await queryDatabase<{ name: string }>(address, counts.join(' UNION '), [text]);
  return found.map(({ name }) => name);
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Who runs it, where this process is root. */
function findOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string): number => Number(spawnSync('id', [option, 'postgres']).stdout);
  return { uid: id('-u'), gid: id('-g') };
}
