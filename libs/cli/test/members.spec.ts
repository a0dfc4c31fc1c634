import { type JoinAnswer } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { type Account, openAccount } from './running-service.js';

describe('dacapo members', () => {
  let service: Account;
  beforeEach(async () => {
    service = await openAccount();
  });

  const join = (link: string): Promise<Response> =>
    fetch(service.url + API.members.join.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: new URL(link).hash.slice(1) }),
    });

  it('prints a link that works once for a member, and lists who joined', async () => {
    expect((await service.run('members', 'list')).out).toBe(
      'No members yet. Invite one: `dacapo members invite --name <name>`.\n',
    );
    const { out, err } = await service.run('members', 'invite', '--name', 'Ann', '--role', 'developer');
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/join#\w{43}\n$/);
    expect(err).toMatch(/^Send it to Ann\. It is shown only once and works once, until /);
    expect((await service.run('members', 'list')).out).toMatch(/Ann {2,}developer .* not yet {2,}until /);
    const answer = await join(out.trim());
    expect(await answer.json()).toMatchObject({ member: { name: 'Ann', role: 'developer' } });
    expect((await join(out.trim())).status).toBe(401);
    expect((await service.run('members', 'list')).out).toMatch(
      /Ann {2,}developer {2,}\S+ {2,}\d{4}-\d\d-\d\d/,
    );
  });

  it('makes another link, changes the role, and removes', async () => {
    const ann = await service.json('members', 'invite', '--name', 'Ann', '--expires-in', '1h');
    expect(ann).toMatchObject({ name: 'Ann', role: 'viewer', link: expect.any(String) });
    const { out } = await service.run('members', 'link', ann.id);
    expect((await join(ann.link)).status).toBe(401);
    const answer = (await (await join(out.trim())).json()) as JoinAnswer;
    expect(answer.sign_in_code).toMatch(/^dcm_/);
    expect((await service.run('members', 'role', ann.id, 'developer')).out).toBe(
      'Ann now has the role developer.\n',
    );
    expect((await service.json('members', 'list')).items).toMatchObject([{ role: 'developer' }]);
    expect((await service.run('browsers', 'list')).out).toMatch(/ Ann {2,}/);
    expect((await service.run('audit')).out).toMatch(/member\.join .* Ann$/m);
    expect((await service.run('members', 'remove', ann.id)).out).toBe(`Removed ${ann.id}.\n`);
    expect(await service.run('members', 'remove', ann.id)).toMatchObject({ exitCode: 1 });
    expect((await service.json('members', 'list')).items).toEqual([]);
  });

  it('rejects an unknown role, and explains why the last admin stays', async () => {
    expect(await service.run('members', 'invite', '--name', 'Ann', '--role', 'owner')).toMatchObject({
      exitCode: 2,
    });
    const ann = await service.json('members', 'invite', '--name', 'Ann', '--role', 'admin');
    await join(ann.link);
    const { exitCode, err } = await service.run('members', 'role', ann.id, 'viewer');
    expect(exitCode).toBe(1);
    expect(err).toContain('This is the last admin of the account. First make another joined member an admin');
  });
});
