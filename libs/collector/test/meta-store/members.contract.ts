import type { Role } from '@dacapo/protocol';
import type { NewMember } from '../../src/storage/member-store.js';
import type { MetaStore } from '../../src/storage/meta-store.js';
import { addAccount, addSession, at, hash } from './meta-store-account.js';

export function describeMembers(opened: () => MetaStore): void {
  describe('members', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const idOf = (name: string): string => `${name} of ${account}`;
    const newMember = (name: string, role: Role, createdAt = at(1)): NewMember => ({
      ...{ id: idOf(name), accountId: account, name, nameKey: name.toLowerCase(), role, createdAt },
    });
    const linkOf = (name: string, expiresAt = at(10)) => ({ hash: hash(`link: ${idOf(name)}`), expiresAt });
    const codeOf = (name: string): Uint8Array => hash(`code: ${idOf(name)}`);
    const invite = (name: string, role: Role, most = 9): Promise<string> =>
      store.members.invite(newMember(name, role), linkOf(name), most);
    const join = async (name: string, second = 2) =>
      store.members.join(linkOf(name).hash, codeOf(name), at(second));
    const add = async (name: string, role: Role): Promise<string> => {
      await invite(name, role);
      await join(name);
      return idOf(name);
    };
    const names = async (): Promise<string[]> => (await store.members.list(account)).map(({ name }) => name);

    it('are listed with what is known of them, the oldest first', async () => {
      await store.members.invite(newMember('Bob', 'viewer', at(2)), linkOf('Bob', at(20)), 9);
      await add('Ann', 'admin');
      expect(await store.members.list(account)).toEqual([
        { id: idOf('Ann'), name: 'Ann', role: 'admin', created_at: at(1), joined_at: at(2) },
        { id: idOf('Bob'), name: 'Bob', role: 'viewer', created_at: at(2), link_expires_at: at(20) },
      ]);
    });

    it('have a name that no other of the account has', async () => {
      expect(await invite('Ann', 'viewer')).toBe('invited');
      const twin = { ...newMember('ANN', 'viewer'), id: 'twin', nameKey: 'ann' };
      expect(await store.members.invite(twin, linkOf('twin'), 9)).toBe('name_taken');
      const other = { ...newMember('Ann', 'viewer'), id: 'other', accountId: await addAccount(store) };
      expect(await store.members.invite(other, linkOf('other'), 9)).toBe('invited');
      expect(await names()).toEqual(['Ann']);
    });

    it('are not more than they may be', async () => {
      expect(await invite('a', 'viewer', 2)).toBe('invited');
      expect(await invite('b', 'viewer', 2)).toBe('invited');
      expect(await invite('c', 'viewer', 2)).toBe('too_many');
      expect(await invite('a', 'viewer', 2)).toBe('name_taken');
    });

    it('join by a link once, until it expires', async () => {
      await invite('Ann', 'developer');
      expect(await join('Ann', 10)).toBeUndefined();
      expect(await join('Ann', 9)).toEqual({
        ...{ id: idOf('Ann'), accountId: account, name: 'Ann', role: 'developer' },
      });
      expect(await join('Ann', 9)).toBeUndefined();
      expect(await store.members.findByCode(codeOf('Ann'))).toMatchObject({ id: idOf('Ann') });
      expect(await store.members.findByCode(codeOf('Bob'))).toBeUndefined();
    });

    it('join by a link that two use at once as one of them', async () => {
      await invite('Ann', 'developer');
      const codes = ['one', 'two'].map(hash);
      const joined = await Promise.all(
        codes.map((code) => store.members.join(linkOf('Ann').hash, code, at(2))),
      );
      const known = await Promise.all(codes.map((code) => store.members.findByCode(code)));
      expect(joined.map((one) => one !== undefined)).toEqual(known.map((one) => one !== undefined));
      expect(known.filter((one) => one !== undefined)).toHaveLength(1);
    });

    it('have one link, and by using it a new code, which ends their sessions and the code before', async () => {
      await add('Ann', 'viewer');
      await addSession(store, `session of ${account}`, account, { memberId: idOf('Ann') });
      const again = { hash: hash(`again: ${account}`), expiresAt: at(10) };
      expect(await store.members.putLink('acc_other', idOf('Ann'), again)).toBeUndefined();
      expect(await store.members.putLink(account, idOf('Ann'), linkOf('lost'))).toBeDefined();
      expect(await store.members.putLink(account, idOf('Ann'), again)).toEqual({
        ...{ id: idOf('Ann'), name: 'Ann', role: 'viewer', created_at: at(1), joined_at: at(2) },
        link_expires_at: at(10),
      });
      expect(await store.members.join(linkOf('lost').hash, hash('x'), at(3))).toBeUndefined();
      expect(await store.members.findByCode(codeOf('Ann'))).toBeDefined();
      expect(await store.members.join(again.hash, hash(`new: ${account}`), at(3))).toBeDefined();
      expect(await store.members.findByCode(codeOf('Ann'))).toBeUndefined();
      expect(await store.signIns.findSession(hash(`session of ${account}`), at(3))).toBeUndefined();
      expect((await store.members.list(account))[0]).toMatchObject({ joined_at: at(2) });
    });

    it('are told with the role of now by their sessions', async () => {
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

    it('are removed with their sessions and links, at once, and not by another account', async () => {
      await add('Ann', 'admin');
      const bob = await add('Bob', 'viewer');
      await addSession(store, `gone of ${account}`, account, { memberId: bob });
      await store.members.putLink(account, bob, linkOf('again'));
      expect(await store.members.remove('acc_other', bob)).toBe('not_found');
      expect(await store.members.remove(account, bob)).toBe('done');
      expect(await store.members.remove(account, bob)).toBe('not_found');
      expect(await store.members.changeRole(account, bob, 'viewer')).toBe('not_found');
      expect(await store.signIns.findSession(hash(`gone of ${account}`), at(3))).toBeUndefined();
      expect(await store.signIns.listSessions(account, at(3))).toEqual([]);
      expect(await store.members.join(linkOf('again').hash, hash('x'), at(3))).toBeUndefined();
      expect(await store.members.findByCode(codeOf('Bob'))).toBeUndefined();
    });

    it('have no session that was opened for one who is gone', async () => {
      await addSession(store, `ghost of ${account}`, account, { memberId: 'nobody' });
      expect(await store.signIns.findSession(hash(`ghost of ${account}`), at(3))).toBeUndefined();
    });

    it('keep their last admin who has joined', async () => {
      const ann = await add('Ann', 'admin');
      await invite('Eve', 'admin');
      expect(await store.members.remove(account, ann)).toBe('last_admin');
      expect(await store.members.changeRole(account, ann, 'viewer')).toBe('last_admin');
      expect(await store.members.changeRole(account, ann, 'admin')).toBe('done');
      expect(await store.members.findByCode(codeOf('Ann'))).toMatchObject({ role: 'admin' });
      await join('Eve');
      expect(await store.members.changeRole(account, ann, 'viewer')).toBe('done');
      expect(await store.members.remove(account, idOf('Eve'))).toBe('last_admin');
      expect(await store.members.remove(account, ann)).toBe('done');
    });

    it('keep one of two admins who leave at once', async () => {
      const admins = [await add('Ann', 'admin'), await add('Eve', 'admin')];
      const outcomes = await Promise.all(admins.map((id) => store.members.remove(account, id)));
      expect(outcomes.sort()).toEqual(['done', 'last_admin']);
      expect(await names()).toHaveLength(1);
    });

    it('go with their account, and no others do', async () => {
      await add('Ann', 'admin');
      const other = { ...newMember('Ann', 'viewer'), id: `${account}'s`, accountId: await addAccount(store) };
      await store.members.invite(other, { hash: hash(other.id), expiresAt: at(9) }, 9);
      await store.accounts.delete(account);
      expect(await store.members.list(account)).toEqual([]);
      expect(await store.members.findByCode(codeOf('Ann'))).toBeUndefined();
      expect(await store.members.list(other.accountId)).toHaveLength(1);
    });
  });
}
