import { API } from '@dacapo/protocol/api';
import { type Account, openAccount } from './running-service.js';

describe('dacapo browsers', () => {
  let service: Account;
  beforeEach(async () => {
    service = await openAccount();
  });

  const signIn = async (): Promise<void> => {
    const answer = await fetch(service.url + API.browserSessions.get.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' },
      body: JSON.stringify({ api_key: service.apiKey }),
    });
    expect(answer.status).toBe(204);
  };

  it('lists who is signed in, and signs one out', async () => {
    await signIn();
    expect((await service.run('browsers', 'list')).out).toMatch(/Firefox on Linux {2,}a key \(dcp_/);
    const [session] = (await service.json('browsers', 'list')).items;
    expect((await service.run('browsers', 'sign-out', session.id)).out).toBe(`Signed ${session.id} out.\n`);
    expect((await service.json('browsers', 'list')).items).toEqual([]);
    expect(await service.run('browsers', 'sign-out', session.id)).toMatchObject({ exitCode: 1 });
  });

  it('signs all out', async () => {
    await signIn();
    await signIn();
    expect(await service.json('browsers', 'sign-out', '--all')).toEqual({ ended: 2 });
    expect((await service.json('browsers', 'list')).items).toEqual([]);
  });

  it('is named in the error', async () => {
    for (const words of [[], ['an-id', '--all']]) {
      const { exitCode, err } = await service.run('browsers', 'sign-out', ...words);
      expect(exitCode).toBe(2);
      expect(err).toContain('Pass the id of a browser, or --all.');
    }
  });
});
