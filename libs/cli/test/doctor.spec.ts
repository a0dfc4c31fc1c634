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

  it('stops when the service rejects the key', async () => {
    const { exitCode, out, err } = await service.run('doctor', '--api-key', 'wrong');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✗ +key +The service answered 401: Invalid API key/);
    expect(out).toMatch(/- +span +needs key/);
    expect(err).toBe('Failed: key. The report above has the cures. [CLI_CHECKS_FAILED]\n');
  });

  it('stops when the service does not answer', async () => {
    const { exitCode, out } = await service.run('doctor', '--url', 'http://127.0.0.1:9');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/✗ +service +No answer from http:\/\/127.0.0.1:9/);
    expect(out).toMatch(/- +key +needs service/);
  });
});
