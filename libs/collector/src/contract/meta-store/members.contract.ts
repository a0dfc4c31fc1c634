import type { Role } from '@dacapo/protocol';
import type { NewMember } from '../../storage/meta/members.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, addSession, at, hash } from './meta-store-account.js';

export function describeMembers(opened: () => MetaStore): void {
  describe('members', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const memberId = (name: string): string => `${name} of ${account}`;
    const newMember = (name: string, role: Role, createdAt = at(1)): NewMember => ({
      id: memberId(name),
      accountId: account,
      name,
      nameKey: name.toLowerCase(),
      role,
      createdAt,
    });
    const makeLink = (name: string, expiresAt = at(10)) => ({
      hash: hash(`link: ${memberId(name)}`),
      expiresAt,
    });
    const hashCode = (name: string): Uint8Array => hash(`code: ${memberId(name)}`);
    const invite = (name: string, role: Role, most = 9): Promise<string> =>
      store.members.invite(newMember(name, role), makeLink(name), most);
    const join = async (name: string, second = 2) =>
      store.members.join(makeLink(name).hash, hashCode(name), at(second));
    const add = async (name: string, role: Role): Promise<string> => {
      await invite(name, role);
      await join(name);
      return memberId(name);
    };
    const names = async (): Promise<string[]> => (await store.members.list(account)).map(({ name }) => name);

    it('are listed with their details, oldest first', async () => {
      await store.members.invite(newMember('Bob', 'viewer', at(2)), makeLink('Bob', at(20)), 9);
      await add('Ann', 'admin');
      expect(await store.members.list(account)).toEqual([
        { id: memberId('Ann'), name: 'Ann', role: 'admin', created_at: at(1), joined_at: at(2) },
        { id: memberId('Bob'), name: 'Bob', role: 'viewer', created_at: at(2), link_expires_at: at(20) },
      ]);
    });

    it('have a unique name in their account', async () => {
      expect(await invite('Ann', 'viewer')).toBe('invited');
      const twin = { ...newMember('ANN', 'viewer'), id: 'twin', nameKey: 'ann' };
      expect(await store.members.invite(twin, makeLink('twin'), 9)).toBe('name_taken');
      const other = { ...newMember('Ann', 'viewer'), id: 'other', accountId: await addAccount(store) };
      expect(await store.members.invite(other, makeLink('other'), 9)).toBe('invited');
      expect(await names()).toEqual(['Ann']);
    });

    it('stay within the maximum number', async () => {
      expect(await invite('a', 'viewer', 2)).toBe('invited');
      expect(await invite('b', 'viewer', 2)).toBe('invited');
      expect(await invite('c', 'viewer', 2)).toBe('too_many');
      expect(await invite('a', 'viewer', 2)).toBe('name_taken');
    });

    it('join once with a link, until it expires', async () => {
      await invite('Ann', 'developer');
      expect(await join('Ann', 10)).toBeUndefined();
      expect(await join('Ann', 9)).toEqual({
        id: memberId('Ann'),
        accountId: account,
        name: 'Ann',
        role: 'developer',
      });
      expect(await join('Ann', 9)).toBeUndefined();
      expect(await store.members.findByCode(hashCode('Ann'))).toMatchObject({ id: memberId('Ann') });
      expect(await store.members.findByCode(hashCode('Bob'))).toBeUndefined();
    });

    it('join once when two use a link at the same time', async () => {
      await invite('Ann', 'developer');
      const codes = ['one', 'two'].map(hash);
      const joined = await Promise.all(
        codes.map((code) => store.members.join(makeLink('Ann').hash, code, at(2))),
      );
      const known = await Promise.all(codes.map((code) => store.members.findByCode(code)));
      expect(joined.map((one) => one !== undefined)).toEqual(known.map((one) => one !== undefined));
      expect(known.filter((one) => one !== undefined)).toHaveLength(1);
    });

    it('have one link; using it makes a new code and ends their sessions and the earlier code', async () => {
      await add('Ann', 'viewer');
      await addSession(store, `session of ${account}`, account, { memberId: memberId('Ann') });
      const again = { hash: hash(`again: ${account}`), expiresAt: at(10) };
      expect(await store.members.putLink('acc_other', memberId('Ann'), again)).toBeUndefined();
      expect(await store.members.putLink(account, memberId('Ann'), makeLink('lost'))).toBeDefined();
      expect(await store.members.putLink(account, memberId('Ann'), again)).toEqual({
        id: memberId('Ann'),
        name: 'Ann',
        role: 'viewer',
        created_at: at(1),
        joined_at: at(2),
        link_expires_at: at(10),
      });
      expect(await store.members.join(makeLink('lost').hash, hash('x'), at(3))).toBeUndefined();
      expect(await store.members.findByCode(hashCode('Ann'))).toBeDefined();
      expect(await store.members.join(again.hash, hash(`new: ${account}`), at(3))).toBeDefined();
      expect(await store.members.findByCode(hashCode('Ann'))).toBeUndefined();
      expect(await store.signIns.findSession(hash(`session of ${account}`), at(3))).toBeUndefined();
      expect((await store.members.list(account))[0]).toMatchObject({ joined_at: at(2) });
    });

    it('have their current role in every session', async () => {
      await add('Ann', 'admin');
      const bob = await add('Bob', 'viewer');
      await addSession(store, `bob of ${account}`, account, { memberId: bob });
      const session = () => store.signIns.findSession(hash(`bob of ${account}`), at(3));
      const member = { id: bob, name: 'Bob', role: 'viewer' };
      expect(await session()).toEqual({ id: `bob of ${account}`, accountId: account, member });
      expect(await store.members.changeRole(account, bob, 'developer')).toBe('done');
      expect(await session()).toMatchObject({ member: { role: 'developer' } });
      expect(await store.signIns.listSessions(account, at(3))).toMatchObject([
        { member: { ...member, role: 'developer' } },
      ]);
    });

    it('are removed with their sessions and links at once, and not by another account', async () => {
      await add('Ann', 'admin');
      const bob = await add('Bob', 'viewer');
      await addSession(store, `gone of ${account}`, account, { memberId: bob });
      await store.members.putLink(account, bob, makeLink('again'));
      expect(await store.members.remove('acc_other', bob)).toBe('not_found');
      expect(await store.members.remove(account, bob)).toBe('done');
      expect(await store.members.remove(account, bob)).toBe('not_found');
      expect(await store.members.changeRole(account, bob, 'viewer')).toBe('not_found');
      expect(await store.signIns.findSession(hash(`gone of ${account}`), at(3))).toBeUndefined();
      expect(await store.signIns.listSessions(account, at(3))).toEqual([]);
      expect(await store.members.join(makeLink('again').hash, hash('x'), at(3))).toBeUndefined();
      expect(await store.members.findByCode(hashCode('Bob'))).toBeUndefined();
    });

    it('get no session after they are removed', async () => {
      await addSession(store, `ghost of ${account}`, account, { memberId: 'nobody' });
      expect(await store.signIns.findSession(hash(`ghost of ${account}`), at(3))).toBeUndefined();
    });

    it('keep the last admin who has joined', async () => {
      const ann = await add('Ann', 'admin');
      await invite('Eve', 'admin');
      expect(await store.members.remove(account, ann)).toBe('last_admin');
      expect(await store.members.changeRole(account, ann, 'viewer')).toBe('last_admin');
      expect(await store.members.changeRole(account, ann, 'admin')).toBe('done');
      expect(await store.members.findByCode(hashCode('Ann'))).toMatchObject({ role: 'admin' });
      await join('Eve');
      expect(await store.members.changeRole(account, ann, 'viewer')).toBe('done');
      expect(await store.members.remove(account, memberId('Eve'))).toBe('last_admin');
      expect(await store.members.remove(account, ann)).toBe('done');
    });

    it('keep one of two admins who leave at the same time', async () => {
      const admins = [await add('Ann', 'admin'), await add('Eve', 'admin')];
      const outcomes = await Promise.all(admins.map((id) => store.members.remove(account, id)));
      expect(outcomes.sort()).toEqual(['done', 'last_admin']);
      expect(await names()).toHaveLength(1);
    });

    it('are deleted with their account, and no others are', async () => {
      await add('Ann', 'admin');
      const other = { ...newMember('Ann', 'viewer'), id: `${account}'s`, accountId: await addAccount(store) };
      await store.members.invite(other, { hash: hash(other.id), expiresAt: at(9) }, 9);
      await store.accounts.delete(account);
      expect(await store.members.list(account)).toEqual([]);
      expect(await store.members.findByCode(hashCode('Ann'))).toBeUndefined();
      expect(await store.members.list(other.accountId)).toHaveLength(1);
    });
  });
}
