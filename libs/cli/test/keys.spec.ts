import { type Account, openAccount } from './running-service.js';

describe('dacapo keys', () => {
  let service: Account;
  beforeEach(async () => {
    service = await openAccount();
  });

  it('makes a key that works, and shows it once', async () => {
    const created = await service.json(
      ...['keys', 'create', '--name', 'production', '--scope', 'ingest', 'read'],
    );
    expect(await service.run('doctor', '--api-key', created.api_key)).toMatchObject({ exitCode: 0 });
    expect((await service.run('keys', 'list')).out).toContain('production');
    expect((await service.run('keys', 'list', '--json')).out).not.toContain(created.api_key);
  });

  it('makes one for a script: the key is all that is on stdout', async () => {
    const { out, err } = await service.run('keys', 'create', '--name', 'ci', '--scope', 'manage', 'replay');
    expect(await service.run('keys', 'list', '--api-key', out.trim())).toMatchObject({ exitCode: 0 });
    expect(err).toContain('Scopes: manage, replay.');
    expect(out).toMatch(/^\S+\n$/);
    expect(err).toContain('Store this key: it is shown only once.');
  });

  it('makes a key that may only ingest by default', async () => {
    const created = await service.json('keys', 'create', '--name', 'support-desk');
    expect(created.scopes).toEqual(['ingest']);
    const { exitCode, err } = await service.run('datasets', 'list', '--api-key', created.api_key);
    expect(exitCode).toBe(1);
    expect(err).toContain(
      'The service answered 403: This key lacks the scope read, which GET /api/v1/datasets needs. It has ingest.',
    );
    expect(err).toContain('--scope read. Pass a key with this scope with --api-key or TRACER_API_KEY.');
    const wrong = await service.run('keys', 'create', '--name', 'x', '--scope', 'admin');
    expect(wrong.exitCode).toBe(2);
    expect(wrong.err).toContain('ingest, read, replay, manage');
  });

  it('makes one that expires and has a limit', async () => {
    const created = await service.json(
      ...['keys', 'create', '--name', 'ci', '--expires-in', '90d', '--requests-per-minute', '600'],
    );
    const life = Date.parse(created.expires_at) - Date.parse(created.created_at);
    expect(Math.round(life / 86_400_000)).toBe(90);
    expect((await service.run('keys', 'list')).out).toMatch(/EXPIRES +LIMIT +NAME\n(.*\n)*.* 600\/min +ci/);
    for (const words of [
      ['--expires-in', 'soon'],
      ['--requests-per-minute', '0'],
    ]) {
      const { exitCode } = await service.run('keys', 'create', '--name', 'x', ...words);
      expect(exitCode).toBe(2);
    }
  });

  it('rotates a key: the old key stays valid for a while', async () => {
    const old = await service.json('keys', 'create', '--name', 'desk', '--scope', 'manage');
    const { out, err } = await service.run('keys', 'rotate', old.id, '--overlap', '1h');
    expect(err).toMatch(/Store this key: .* The old key works until \d{4}-/);
    for (const key of [old.api_key, out.trim()]) {
      expect(await service.run('keys', 'list', '--api-key', key)).toMatchObject({ exitCode: 0 });
    }
    const again = await service.run('keys', 'rotate', old.id);
    expect(again.err).toContain('was already rotated');
    const rotated = await service.json('keys', 'rotate', (await newest()).id, '--overlap', '0m');
    expect((await service.run('keys', 'list')).out).toMatch(
      / \d{4}-\d\d-\d\dT\d\d:\d\d .*desk\n(.*\n)*.* expired .*desk\n/,
    );
    expect(await service.run('keys', 'list', '--api-key', out.trim())).toMatchObject({ exitCode: 1 });
    expect(await service.run('keys', 'list', '--api-key', rotated.api_key)).toMatchObject({ exitCode: 0 });
  });

  const newest = async (): Promise<{ id: string }> => (await service.json('keys', 'list')).items.at(-1);

  it('revokes one at once', async () => {
    const { id, api_key } = await service.json('keys', 'create', '--name', 'old');
    expect(await service.json('keys', 'revoke', id)).toEqual({ revoked: id });
    const { exitCode, err } = await service.run('keys', 'list', '--api-key', api_key);
    expect(exitCode).toBe(1);
    expect(err).toContain('The service answered 401: Invalid API key. Pass a key of this service');
  });
});
