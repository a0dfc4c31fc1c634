import { type BrowserSessionSummary } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import request from 'supertest';
import { ManualClock } from './support/manual-clock.js';
import { Service, type Tenant } from './support/service.js';

const clock = new ManualClock();
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start({ clock });
  tenant = await service.addTenant();
});

afterAll(() => service.close());

const readCookie = (response: request.Response): string => (response.get('set-cookie') ?? [])[0] ?? '';
const signIn = async (): Promise<string> => {
  const answer = await request(service.url)
    .post(API.browserSessions.signIn.path)
    .send({ api_key: tenant.apiKey })
    .expect(204);
  return readCookie(answer).split(';')[0] ?? '';
};

describe('a one-time link', () => {
  it('signs a browser in and leads to the dashboard', async () => {
    const token = await service.signInToken(tenant.accountId);
    const answer = await request(service.url)
      .get(`/sign-in?token=${token}`)
      .expect(303)
      .expect('location', '/');
    expect(readCookie(answer)).toMatch(
      /^dacapo_session_\d+=[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    const { body } = await request(service.url)
      .get(API.browserSessions.get.path)
      .set('cookie', readCookie(answer).split(';')[0] ?? '')
      .expect(200);
    expect(body.id).toBe(tenant.accountId);
  });

  it('works once', async () => {
    const token = await service.signInToken(tenant.accountId);
    await request(service.url).get(`/sign-in?token=${token}`).expect('location', '/');
    const again = await request(service.url).get(`/sign-in?token=${token}`).expect(303);
    expect(again.get('location')).toBe('/sign-in?reason=link-used');
    expect(readCookie(again)).toBe('');
  });

  it('is not used up by a HEAD request', async () => {
    const token = await service.signInToken(tenant.accountId);
    await request(service.url).head(`/sign-in?token=${token}`);
    await request(service.url).get(`/sign-in?token=${token}`).expect('location', '/');
  });

  it('expires after a day', async () => {
    const token = await service.signInToken(tenant.accountId);
    clock.advanceDays(1);
    await request(service.url).get(`/sign-in?token=${token}`).expect('location', '/sign-in?reason=link-used');
  });

  it.each(['', 'unknown', 'x&token=y'])('refuses the token %j', async (token) => {
    const answer = await request(service.url).get(`/sign-in?token=${token}`);
    expect(readCookie(answer)).toBe('');
  });

  it('shows the page with the form when it has no token', async () => {
    await request(service.url)
      .get('/sign-in')
      .expect(200)
      .expect('content-type', /text\/html/);
  });
});

describe('signing in by a key', () => {
  it('answers 204 with the cookie', async () => {
    expect(await signIn()).toMatch(/^dacapo_session_\d+=[0-9A-Za-z]{43}$/);
  });

  it('SPEC 7: refuses a key that is not valid', async () => {
    const answer = await request(service.url)
      .post(API.browserSessions.signIn.path)
      .send({ api_key: 'nonsense' })
      .expect(401);
    expect(answer.body).toEqual({ detail: 'Invalid API key', status_code: 401 });
    expect(readCookie(answer)).toBe('');
  });

  it('refuses another site, and a form that is no JSON', async () => {
    const foreign = await request(service.url)
      .post(API.browserSessions.signIn.path)
      .set('origin', 'https://evil.example')
      .send({ api_key: tenant.apiKey })
      .expect(403);
    expect(readCookie(foreign)).toBe('');
    const form = request(service.url)
      .post(API.browserSessions.signIn.path)
      .type('form')
      .send({ api_key: tenant.apiKey });
    expect((await form.expect(415)).body).toEqual({
      detail: 'Content-Type must be application/json',
      status_code: 415,
    });
  });

  it('marks the cookie Secure behind https and binds it to this host', async () => {
    const behindProxy = await Service.start({ publicUrl: 'https://dacapo.example.com' });
    const { apiKey } = await behindProxy.addTenant();
    const answer = await request(behindProxy.url)
      .post(API.browserSessions.signIn.path)
      .set('origin', 'https://dacapo.example.com')
      .send({ api_key: apiKey })
      .expect(204);
    expect(readCookie(answer)).toMatch(
      /^__Host-dacapo_session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    );
    await behindProxy.close();
  });
});

describe('a browser session', () => {
  it('reads what the account may read', async () => {
    await request(service.url)
      .get(API.traces.list.path)
      .set('cookie', await signIn())
      .expect(200);
    await request(service.url)
      .get(API.developer.listIndexes.path)
      .set('cookie', await signIn())
      .expect(200);
  });

  it('changes things from pages of this service only', async () => {
    const cookie = await signIn();
    const create = (headers: Record<string, string>) =>
      request(service.url)
        .post(API.apiKeys.create.path)
        .set({ cookie, ...headers })
        .send({ name: 'x' });
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      expect((await create(headers)).status).toBe(403);
    }
    const { body } = await create({ origin: service.url }).expect(201);
    const revoke = request(service.url).delete(routePath(API.apiKeys.revoke, { id: body.id }));
    expect((await revoke.set({ cookie, origin: 'https://evil.example' })).status).toBe(403);
  });

  it('ends when it is signed out', async () => {
    const cookie = await signIn();
    const answer = await request(service.url)
      .delete(API.browserSessions.signOut.path)
      .set({ cookie, origin: service.url })
      .expect(204);
    expect(readCookie(answer)).toMatch(
      /^dacapo_session_\d+=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/,
    );
    await request(service.url).get(API.browserSessions.get.path).set('cookie', cookie).expect(401);
  });

  it('expires after a week', async () => {
    const cookie = await signIn();
    clock.advanceDays(6.9);
    await request(service.url).get(API.browserSessions.get.path).set('cookie', cookie).expect(200);
    clock.advanceDays(0.1);
    const { body } = await request(service.url)
      .get(API.browserSessions.get.path)
      .set('cookie', cookie)
      .expect(401);
    expect(body).toEqual({ detail: 'API key missing', status_code: 401 });
  });

  it('ends with its account', async () => {
    const leaver = await service.addTenant();
    const answer = await request(service.url)
      .post(API.browserSessions.signIn.path)
      .send({ api_key: leaver.apiKey });
    await leaver.delete(API.accounts.delete.path).expect(204);
    await request(service.url)
      .get(API.browserSessions.get.path)
      .set('cookie', readCookie(answer).split(';')[0] ?? '')
      .expect(401);
  });
});

describe('the browsers of an account', () => {
  let owner: Tenant;
  const headers = (cookie: string) => ({ cookie, origin: service.url });
  const isAlive = async (cookie: string): Promise<boolean> =>
    (await request(service.url).get(API.browserSessions.get.path).set('cookie', cookie)).status === 200;
  const list = async (): Promise<BrowserSessionSummary[]> =>
    (await owner.get(API.browserSessions.list.path).expect(200)).body.items;

  beforeEach(async () => {
    owner = await service.addTenant();
  });

  it('are listed with their key, their name and their times, the newest first', async () => {
    const { body: key } = await owner.post(API.apiKeys.create.path, {
      name: 'ann',
      scopes: ['read', 'manage'],
    });
    const own = await service.signIn(key.api_key);
    await service.signInByLink(owner.accountId);
    const { body } = await request(service.url)
      .get(API.browserSessions.list.path)
      .set('cookie', own)
      .expect(200);
    const times = { created_at: expect.any(String), expires_at: expect.any(String) };
    expect(body.items).toEqual([
      { id: expect.any(String), ...times },
      {
        id: expect.any(String),
        browser: 'Firefox on Linux',
        is_current: true,
        api_key: { id: key.id, name: 'ann', hint: key.hint },
        ...times,
        ...('last_used_at' in body.items[1] && { last_used_at: expect.any(String) }),
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(own.split('=')[1]);
  });

  it('show when they were last used, once a minute at most', async () => {
    const cookie = await service.signIn(owner.apiKey);
    const lastUse = async (): Promise<string | undefined> => (await list())[0]?.last_used_at;
    expect(await isAlive(cookie)).toBe(true);
    // No request waits for the note of its own use.
    let noted = await lastUse();
    while (noted === undefined) noted = await lastUse();
    clock.advance(59);
    expect(await isAlive(cookie)).toBe(true);
    expect(await lastUse()).toBe(noted);
    clock.advance(2);
    expect(await isAlive(cookie)).toBe(true);
    let later = await lastUse();
    while (later === noted) later = await lastUse();
    expect(later! > noted).toBe(true);
  });

  it('end one by one', async () => {
    const [first, second] = [await service.signIn(owner.apiKey), await service.signIn(owner.apiKey)];
    const { body } = await request(service.url).get(API.browserSessions.list.path).set('cookie', first);
    const other = body.items.find((item: BrowserSessionSummary) => item.is_current === undefined);
    const path = routePath(API.browserSessions.end, { id: other.id });
    await request(service.url).delete(path).set(headers(first)).expect(204);
    expect([await isAlive(first), await isAlive(second)]).toEqual([true, false]);
    const again = await request(service.url).delete(path).set(headers(first)).expect(404);
    expect(again.body.detail).toBe(`Browser session ${other.id} not found`);
  });

  it('end all at once, and those of no other account', async () => {
    const foreign = await signIn();
    const own = [await service.signIn(owner.apiKey), await service.signInByLink(owner.accountId)];
    const { body } = await request(service.url)
      .delete(API.browserSessions.endAll.path)
      .set(headers(own[0]!))
      .expect(200);
    expect(body).toEqual({ ended: 2 });
    expect(await Promise.all(own.map(isAlive))).toEqual([false, false]);
    expect(await isAlive(foreign)).toBe(true);
  });

  it('end at once with the key that opened them, and no others do', async () => {
    const { body: key } = await owner.post(API.apiKeys.create.path, {
      name: 'x',
      scopes: ['read', 'manage'],
    });
    const [bound, other] = [await service.signIn(key.api_key), await service.signIn(owner.apiKey)];
    // The browser takes away the key that it stands on, and has nothing left to make another with.
    const revoke = request(service.url).delete(routePath(API.apiKeys.revoke, { id: key.id }));
    await revoke.set(headers(bound)).expect(204);
    const make = request(service.url).post(API.apiKeys.create.path).set(headers(bound));
    await make.send({ name: 'y' }).expect(401);
    expect([await isAlive(bound), await isAlive(other)]).toEqual([false, true]);
    expect(await list()).toHaveLength(1);
  });
});
