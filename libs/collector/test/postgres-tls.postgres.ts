import { startCollector } from '@dacapo/collector';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { openPostgresStorage } from '../src/storage/engines/postgres/open-postgres-storage.js';
import { OwnPostgresServer } from './support/postgres-server.js';
import { SILENT } from './support/service.js';

const PASSWORD = 'pass/wörd:1';

describe('PostgreSQL over TLS', () => {
  let server: OwnPostgresServer;
  let database: string;
  let certificate: string;
  let port: number;

  beforeAll(async () => {
    server = await OwnPostgresServer.start();
    ({ certificate, port } = await server.useTls(PASSWORD));
    database = new URL((await server.createDatabase()).replace('@/', '@host/')).pathname;
  });

  afterAll(() => server.stop());

  const toAddress = (host: string, query: string, password = PASSWORD) =>
    `postgres://dacapo:${encodeURIComponent(password)}@${host}:${port}${database}?${query}` as const;
  const open = async (host: string, query: string, password?: string): Promise<string> => {
    try {
      const storage = await openPostgresStorage(toAddress(host, query, password));
      await storage.meta.ping();
      await storage.close();
      return 'connected';
    } catch (error) {
      const shown = inspect(error, { depth: 9, showHidden: true });
      expect(shown).not.toContain(PASSWORD);
      expect(shown).not.toContain(encodeURIComponent(PASSWORD));
      return (error as Error).message;
    }
  };
  const trusted = (): string => `sslrootcert=${encodeURIComponent(certificate)}`;

  it('connects if the CA file has the certificate and the name is right', async () => {
    expect(await open('localhost', `sslmode=verify-full&${trusted()}`)).toBe('connected');
    expect(await open('localhost', `sslmode=require&${trusted()}`)).toBe('connected');
  });

  it('refuses a certificate that nobody signed whom it trusts', async () => {
    for (const mode of ['verify-full', 'require']) {
      expect(await open('localhost', `sslmode=${mode}`)).toContain('self-signed certificate');
    }
  });

  it('refuses a certificate that the authority in the file did not sign', async () => {
    const other = join(__dirname, '../../../test/faults/fixtures/self-signed.cert.pem');
    const byOther = `sslmode=verify-full&sslrootcert=${encodeURIComponent(other)}`;
    expect(await open('localhost', byOther)).toContain('self-signed certificate');
  });

  it('refuses a certificate for another name, unless only its signature counts', async () => {
    expect(await open('127.0.0.1', `sslmode=verify-full&${trusted()}`)).toContain('does not match');
    const byLibpq = `uselibpqcompat=true&sslmode=verify-ca&${trusted()}`;
    expect(await open('127.0.0.1', byLibpq)).toBe('connected');
  });

  it('is refused without TLS, and by a wrong password', async () => {
    expect(await open('localhost', 'sslmode=disable')).toContain('no encryption');
    const wrong = await open('localhost', `sslmode=verify-full&${trusted()}`, `${PASSWORD}2`);
    expect(wrong).toContain('password authentication failed');
  });

  it('shows no password where the service or its store is printed', async () => {
    const address = toAddress('localhost', `sslmode=verify-full&${trusted()}`);
    const logged: unknown[] = [];
    const log = (...line: unknown[]): void => void logged.push(line);
    const logger = { ...SILENT, info: log, warn: log, error: log };
    const collector = await startCollector({ port: 0, storage: address, logger });
    const storage = await openPostgresStorage(address);
    expect(collector.data).toContain('dacapo:***@localhost');
    const shown = inspect([collector, storage, logged], { depth: 9, showHidden: true });
    expect(shown).not.toContain(PASSWORD);
    expect(shown).not.toContain(encodeURIComponent(PASSWORD));
    await storage.close();
    await collector.close();
  });
});
