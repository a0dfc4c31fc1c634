import { type Account, openAccount } from './running-service.js';

describe('dacapo doctor', () => {
  let service: Account;
  beforeEach(async () => {
    service = await openAccount();
  });

  it('sends a span and reads it back', async () => {
    const report = await service.json('doctor');
    expect(report).toMatchObject({ ok: true, url: service.url });
    expect(report.checks).toMatchObject([
      { name: 'service', status: 'ok' },
      { name: 'clock', status: 'ok' },
      { name: 'key', status: 'ok' },
      { name: 'span', status: 'ok' },
    ]);
  });

  it('passes with a key that may only ingest, without reading the span back', async () => {
    const { api_key: key } = await service.json('keys', 'create', '--name', 'app', '--scope', 'ingest');
    const { exitCode, out } = await service.run('doctor', '--api-key', key);
    expect(out).toMatch(/✓ +span +stored in \d+ ms .*not read back, because the key has no scope "read"/);
    expect(exitCode).toBe(0);
  });

  it('reads the span back with a key that may replay, which includes ingest and read', async () => {
    const { api_key: key } = await service.json('keys', 'create', '--name', 'ci', '--scope', 'replay');
    expect((await service.run('doctor', '--api-key', key)).out).toMatch(/✓ +span +sent and read back/);
  });

  it('skips the span with a key that may not ingest', async () => {
    const { api_key: key } = await service.json('keys', 'create', '--name', 'reader', '--scope', 'read');
    const { exitCode, out } = await service.run('doctor', '--api-key', key);
    expect(out).toMatch(/- +span +needs a key with the scope ingest/);
    expect(exitCode).toBe(0);
  });

  it('stops when the service rejects the key', async () => {
    const { exitCode, out, err } = await service.run('doctor', '--api-key', 'wrong');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✗ +key +The service answered 401: Invalid API key/);
    expect(out).toMatch(/- +span +needs key/);
    expect(err).toBe('Failed: key. The report above says how to fix it. [CLI_CHECKS_FAILED]\n');
  });

  it('stops when the service does not answer', async () => {
    const { exitCode, out } = await service.run('doctor', '--url', 'http://127.0.0.1:9');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✗ +service +No answer from http:\/\/127.0.0.1:9/);
    expect(out).toMatch(/- +key +needs service/);
  });

  it('checks the servers that --storage and --spans name', async () => {
    const servers = [
      '--storage',
      'postgres://a:zq7secret@127.0.0.1:9/b',
      '--spans',
      'clickhouse://a:zq7secret@127.0.0.1:9/b',
    ];
    const { exitCode, out, err } = await service.run('doctor', ...servers);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✓ +span/);
    expect(out).toMatch(/✗ +PostgreSQL +Storage failed: .* Check that PostgreSQL runs/);
    expect(out).toMatch(/✗ +ClickHouse +Storage failed: .* Check that ClickHouse runs/);
    expect(out + err).not.toContain('zq7secret');
  });
});
