import { type AuditEntry, type BrowserSessionSummary, type MemberSummary } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { score, span } from './support/records.js';
import { ManualClock } from './support/manual-clock.js';
import { furnish } from './support/routes.js';
import { Service, type SignedInMember, type Tenant } from './support/service.js';

const clock = new ManualClock();
let service: Service;
let owner: Tenant;

beforeAll(async () => {
  service = await Service.start({ clock });
});

beforeEach(async () => {
  owner = await service.addTenant();
});

afterAll(() => service.close());

const invite = (body: object) => owner.post(API.members.invite.path, body);
const readToken = (link: string): string => new URL(link).hash.slice(1);
const join = (link: string) => service.anonymous.post(API.members.join.path).send({ token: readToken(link) });
const list = async (): Promise<MemberSummary[]> =>
  (await owner.get(API.members.list.path).expect(200)).body.items;
const isIn = async ({ get }: SignedInMember): Promise<boolean> =>
  (await get(API.browserSessions.get.path)).status === 200;
const signIn = (sign_in_code: string) =>
  service.anonymous.post(API.browserSessions.signIn.path).send({ sign_in_code });

describe('an invitation', () => {
  it('is a link to a page of the service whose secret is never sent to a server', async () => {
    const { body } = await invite({ name: ' Ann ', role: 'developer' }).expect(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Ann',
      role: 'developer',
      created_at: expect.any(String),
      link_expires_at: expect.any(String),
      link: expect.stringMatching(`^${service.url}/join#[0-9A-Za-z]{43}$`),
    });
    expect(JSON.stringify(await list())).not.toContain(readToken(body.link));
  });

  it('signs the browser in, and shows the sign-in code for later', async () => {
    const { body: invited } = await invite({ name: 'Ann', role: 'viewer' });
    const answer = await join(invited.link).expect(200);
    expect(answer.get('set-cookie')?.[0]).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(answer.body).toEqual({
      member: { id: invited.id, name: 'Ann', role: 'viewer' },
      account: { id: owner.accountId, name: 'a tenant' },
      sign_in_code: expect.stringMatching(/^dcm_[0-9A-Za-z]{43}$/),
    });
    expect(await list()).toMatchObject([{ name: 'Ann', joined_at: expect.any(String) }]);
    expect((await list())[0]).not.toHaveProperty('link_expires_at');
    const { status } = await signIn(` ${answer.body.sign_in_code} `);
    expect(status).toBe(204);
  });

  it('works once, and reports reuse', async () => {
    const { body: invited } = await invite({ name: 'Ann', role: 'viewer' });
    await join(invited.link).expect(200);
    const { body } = await join(invited.link).expect(401);
    expect(body.detail).toBe(
      'This link was already used or has expired. Ask an admin of the account for a new one',
    );
  });

  it('expires after a week, or on request of its creator', async () => {
    const { body: long } = await invite({ name: 'Ann', role: 'viewer' });
    const { body: short } = await invite({ name: 'Bob', role: 'viewer', expires_in_s: 60 });
    clock.advance(61);
    await join(short.link).expect(401);
    clock.advanceDays(7);
    await join(long.link).expect(401);
    expect(await list()).toMatchObject([{ name: 'Ann' }, { name: 'Bob' }]);
  });

  it.each([
    { expires_in_s: 0 },
    { expires_in_s: 31 * 86_400 },
    { role: 'owner' },
    { name: '  ' },
    { name: 'x'.repeat(101) },
  ])('is refused with %j', async (wrong) => {
    await invite({ name: 'Ann', role: 'viewer', ...wrong }).expect(400);
    expect(await list()).toEqual([]);
  });

  it('is withdrawn by removing the member', async () => {
    const { body: invited } = await invite({ name: 'Ann', role: 'admin' });
    await owner.delete(routePath(API.members.remove, { id: invited.id })).expect(204);
    await join(invited.link).expect(401);
  });

  it('signs in from a page of this service only', async () => {
    const { body: invited } = await invite({ name: 'Ann', role: 'viewer' });
    await join(invited.link).set('origin', 'https://evil.example').expect(403);
    await join(invited.link).set('origin', service.url).expect(200);
  });

  it.each(['ann', 'ＡＮＮ', ' Ann '])('of a second %j is rejected: names are unique', async (name) => {
    await invite({ name: 'Ann', role: 'viewer' }).expect(201);
    const { body } = await invite({ name, role: 'viewer' }).expect(409);
    expect(body.detail).toMatch(/^The account already has a member named .*\. Choose another name/);
  });

  it('grants no role above that of its creator', async () => {
    const manager = await service.withKey(owner.accountId, 'manage');
    const { body } = await manager.post(API.members.invite.path, { name: 'Ann', role: 'viewer' }).expect(403);
    expect(body.detail).toBe(
      'You cannot grant the role viewer, because you lack its scope read. Ask an admin, or use a key with every scope',
    );
    const { body: ann } = await invite({ name: 'Ann', role: 'admin' });
    await manager.post(routePath(API.members.createLink, { id: ann.id }), {}).expect(403);
    await manager.post(routePath(API.members.changeRole, { id: ann.id }), { role: 'admin' }).expect(403);
    const reader = await service.withKey(owner.accountId, 'manage', 'read');
    await reader.post(API.members.invite.path, { name: 'Bob', role: 'viewer' }).expect(201);
    await reader.post(API.members.invite.path, { name: 'Eve', role: 'developer' }).expect(403);
  });
});

describe('a member', () => {
  it('sees name and role', async () => {
    const ann = await service.addMember(owner, 'Ann', 'developer');
    const { body } = await ann.get(API.browserSessions.get.path).expect(200);
    expect(body).toMatchObject({
      id: owner.accountId,
      scopes: ['ingest', 'read', 'replay'],
      member: { id: ann.id, name: 'Ann', role: 'developer' },
    });
    expect((await owner.get(API.accounts.get.path)).body).not.toHaveProperty('member');
  });

  it.each(['', 'dcm_', `dcm_${'x'.repeat(43)}`])('is not signed in by the code %j', async (code) => {
    const { body } = await signIn(code).expect(401);
    expect(body.detail).toBe('Invalid sign-in code');
  });

  it('gets the rights of a new role at once in every browser', async () => {
    const ann = await service.addMember(owner, 'Ann', 'viewer');
    const make = (name: string) => ann.post(API.datasets.create.path, { name });
    await make('a').expect(403);
    const change = (role: string) => owner.post(routePath(API.members.changeRole, { id: ann.id }), { role });
    expect((await change('developer').expect(200)).body).toMatchObject({ id: ann.id, role: 'developer' });
    await make('a').expect(201);
    await change('viewer').expect(200);
    await make('b').expect(403);
  });

  it('is out at once when removed, in every browser and with the code, and nobody else is', async () => {
    const [ann, bob] = [
      await service.addMember(owner, 'Ann', 'developer'),
      await service.addMember(owner, 'Bob', 'developer'),
    ];
    await owner.delete(routePath(API.members.remove, { id: ann.id })).expect(204);
    expect([await isIn(ann), await isIn(bob)]).toEqual([false, true]);
    await signIn(ann.code).expect(401);
    await ann.post(API.datasets.create.path, { name: 'x' }).expect(401);
    await owner.delete(routePath(API.members.remove, { id: ann.id })).expect(404);
  });

  it('who lost the code gets a link, which ends the sessions and the code before once it is used', async () => {
    const ann = await service.addMember(owner, 'Ann', 'viewer');
    const { body: first } = await owner.post(routePath(API.members.createLink, { id: ann.id })).expect(201);
    const { body: second } = await owner.post(routePath(API.members.createLink, { id: ann.id })).expect(201);
    await join(first.link).expect(401);
    expect(await isIn(ann)).toBe(true);
    const again = await service.join(second.link);
    expect(again.id).toBe(ann.id);
    expect([await isIn(ann), await isIn(again)]).toEqual([false, true]);
    await signIn(ann.code).expect(401);
    await signIn(again.code).expect(204);
  });

  it('who is the last admin can neither leave nor be less', async () => {
    const ann = await service.addMember(owner, 'Ann', 'admin');
    const path = routePath(API.members.remove, { id: ann.id });
    const detail = 'This is the last admin of the account. First make another joined member an admin';
    expect((await ann.delete(path).expect(409)).body.detail).toBe(detail);
    const change = ann.post(routePath(API.members.changeRole, { id: ann.id }), { role: 'viewer' });
    expect((await change.expect(409)).body.detail).toBe(detail);
    await service.addMember(owner, 'Eve', 'admin');
    await ann.delete(path).expect(204);
    expect(await isIn(ann)).toBe(false);
  });

  it('is named in the list of browsers', async () => {
    const ann = await service.addMember(owner, 'Ann', 'admin');
    const { body } = await ann.get(API.browserSessions.list.path).expect(200);
    expect(body.items as BrowserSessionSummary[]).toMatchObject([
      { is_current: true, member: { id: ann.id, name: 'Ann', role: 'admin' } },
    ]);
  });

  it('is signed out with everybody', async () => {
    const ann = await service.addMember(owner, 'Ann', 'viewer');
    await owner.delete(API.browserSessions.endAll.path).expect(200);
    expect(await isIn(ann)).toBe(false);
    await signIn(ann.code).expect(204);
  });

  it('is of one account', async () => {
    const ann = await service.addMember(owner, 'Ann', 'admin');
    const stranger = await service.addTenant();
    const bob = await service.addMember(stranger, 'Bob', 'admin');
    await bob.delete(routePath(API.members.remove, { id: ann.id })).expect(404);
    expect((await bob.get(API.members.list.path)).body.items).toHaveLength(1);
    await stranger.delete(API.accounts.delete.path).expect(204);
    expect([await isIn(ann), await isIn(bob)]).toEqual([true, false]);
  });
});

describe('the actions of a member', () => {
  const forged = { kind: 'person', name: 'Somebody else' };
  const listAuthors = async (): Promise<unknown[]> =>
    (await owner.get(API.scores.list.path).expect(200)).body.items.map(
      ({ author }: { author: unknown }) => author,
    );

  it('are logged under the name of the member, who may be removed later', async () => {
    await service.addMember(owner, 'Eve', 'admin');
    const ann = await service.addMember(owner, 'Ann', 'admin');
    await ann.post(API.datasets.create.path, { name: 'mine' }).expect(201);
    await owner.delete(routePath(API.members.remove, { id: ann.id })).expect(204);
    const { body } = await owner.get(API.audit.list.path).expect(200);
    const [removed, created, signedIn, joined, invited] = body.items as AuditEntry[];
    const member = { id: ann.id, name: 'Ann' };
    expect(removed).toMatchObject({ action: 'member.remove', object: ann.id });
    expect(removed).not.toHaveProperty('member');
    expect(created).toMatchObject({ action: 'dataset.create', object: 'mine', member });
    expect(created?.browser_session_id).toBe(signedIn?.object);
    expect(created).not.toHaveProperty('api_key');
    expect(signedIn).toMatchObject({ action: 'browser.sign_in', member });
    expect(joined).toMatchObject({ action: 'member.join', object: ann.id, member });
    expect(invited).toMatchObject({ action: 'member.invite', object: ann.id });
    expect(JSON.stringify(body)).not.toContain(ann.code);
  });

  it('is scored in the name of the member, whatever name the score has', async () => {
    const ann = await service.addMember(owner, 'Ann', 'developer');
    const stored = span();
    await owner.store(stored);
    const scored = score({ trace_id: stored.trace_id, author: { kind: 'evaluator', name: 'judge' } });
    const unsigned = { ...scored, id: stored.trace_id, author: undefined };
    await ann.post(API.scores.add.path, { scores: [scored, unsigned] }).expect(200);
    expect(await listAuthors()).toEqual([{ kind: 'person', name: 'Ann' }]);
  });

  it('is scored in the name of the member among records, too', async () => {
    const ann = await service.addMember(owner, 'Ann', 'developer');
    const stored = span();
    const line = { score: score({ trace_id: stored.trace_id, author: { kind: 'person', name: 'Eve' } }) };
    await service.anonymous
      .post(API.ingest.send.path)
      .set({ ...ann.headers, 'content-type': 'application/x-ndjson' })
      .send(`${JSON.stringify({ span: stored })}\n${JSON.stringify(line)}`)
      .expect(200);
    expect(await listAuthors()).toEqual([{ kind: 'person', name: 'Ann' }]);
  });

  it('is accepted in the name of the member, whatever name the request has', async () => {
    const ann = await service.addMember(owner, 'Ann', 'developer');
    const owned = await furnish(service, owner);
    const item = { item_no: 3, source_trace_id: owned.trace, source_span_id: owned.span, result: 1 };
    await owner
      .post(routePath(API.testRuns.report, { id: owned.run }), { items: [{ ...item, verdict: 'changed' }] })
      .expect(200);
    const path = routePath(API.testRuns.accept, { id: owned.run, item_no: '3' });
    const { body } = await ann.post(path, { author: forged, note: 'better' }).expect(200);
    expect(body.acceptance).toMatchObject({ author: { kind: 'person', name: 'Ann' }, note: 'better' });
  });
});
