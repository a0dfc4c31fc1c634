import type { Member, MemberSummary, Role } from '@dacapo/protocol';
import type { MemberChange, MemberStore, NewMember, NewMemberLink } from '../../member-store.js';

interface StoredMember extends NewMember {
  joinedAt?: string;
  codeHash?: Uint8Array;
  link?: NewMemberLink;
}

export class MemoryMemberStore implements MemberStore {
  /** By id. */
  private readonly members = new Map<string, StoredMember>();

  /** @param endSessions ends all browser sessions of a member */
  constructor(private readonly endSessions: (memberId: string) => void) {}

  find(id: string): StoredMember | undefined {
    return this.members.get(id);
  }

  invite(
    member: NewMember,
    link: NewMemberLink,
    most: number,
  ): Promise<'invited' | 'name_taken' | 'too_many'> {
    const others = this.of(member.accountId);
    if (others.some(({ nameKey }) => nameKey === member.nameKey)) return Promise.resolve('name_taken');
    if (others.length >= most) return Promise.resolve('too_many');
    this.members.set(member.id, { ...member, link });
    return Promise.resolve('invited');
  }

  putLink(accountId: string, id: string, link: NewMemberLink): Promise<MemberSummary | undefined> {
    const member = this.findIn(accountId, id);
    if (member) member.link = link;
    return Promise.resolve(member && toSummary(member));
  }

  join(
    linkHash: Uint8Array,
    codeHash: Uint8Array,
    joinedAt: string,
  ): Promise<(Member & { accountId: string }) | undefined> {
    const member = [...this.members.values()].find(({ link }) => isSame(link?.hash, linkHash));
    if (member?.link === undefined || member.link.expiresAt <= joinedAt) return Promise.resolve(undefined);
    delete member.link;
    Object.assign(member, { codeHash, joinedAt: member.joinedAt ?? joinedAt });
    this.endSessions(member.id);
    return Promise.resolve(toMember(member));
  }

  findByCode(hash: Uint8Array): Promise<(Member & { accountId: string }) | undefined> {
    const member = [...this.members.values()].find(({ codeHash }) => isSame(codeHash, hash));
    return Promise.resolve(member && toMember(member));
  }

  list(accountId: string): Promise<MemberSummary[]> {
    const orderOf = ({ createdAt, id }: StoredMember): string => `${createdAt} ${id}`;
    const members = this.of(accountId).sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
    return Promise.resolve(members.map(toSummary));
  }

  changeRole(accountId: string, id: string, role: Role): Promise<MemberChange> {
    const member = this.findIn(accountId, id);
    if (!member) return Promise.resolve('not_found');
    if (role !== 'admin' && this.isLastAdmin(member)) return Promise.resolve('last_admin');
    member.role = role;
    return Promise.resolve('done');
  }

  remove(accountId: string, id: string): Promise<MemberChange> {
    const member = this.findIn(accountId, id);
    if (!member) return Promise.resolve('not_found');
    if (this.isLastAdmin(member)) return Promise.resolve('last_admin');
    this.members.delete(id);
    this.endSessions(id);
    return Promise.resolve('done');
  }

  deleteAccount(accountId: string): void {
    for (const { id } of this.of(accountId)) this.members.delete(id);
  }

  private of(accountId: string): StoredMember[] {
    return [...this.members.values()].filter((member) => member.accountId === accountId);
  }

  private findIn(accountId: string, id: string): StoredMember | undefined {
    const member = this.members.get(id);
    return member?.accountId === accountId ? member : undefined;
  }

  private isLastAdmin(member: StoredMember): boolean {
    const isAdmin = ({ role, joinedAt }: StoredMember): boolean => role === 'admin' && joinedAt !== undefined;
    return isAdmin(member) && !this.of(member.accountId).some((other) => other !== member && isAdmin(other));
  }
}

function isSame(left: Uint8Array | undefined, right: Uint8Array): boolean {
  return left !== undefined && Buffer.from(left).equals(right);
}

function toMember({ id, accountId, name, role }: StoredMember): Member & { accountId: string } {
  return { id, accountId, name, role };
}

function toSummary({ id, name, role, createdAt, joinedAt, link }: StoredMember): MemberSummary {
  return {
    ...{ id, name, role, created_at: createdAt },
    ...(joinedAt !== undefined && { joined_at: joinedAt }),
    ...(link && { link_expires_at: link.expiresAt }),
  };
}
