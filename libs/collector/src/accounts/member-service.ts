import {
  allows,
  formatTimestamp,
  type JoinAnswer,
  LIMITS,
  type MemberLink,
  type MemberSummary,
  type Role,
  type Scope,
  SCOPES_OF_ROLE,
  SIGN_IN_CODE_PREFIX,
} from '@dacapo/protocol';
import {
  ConflictException,
  ForbiddenException,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { ServiceAddress } from '../service-address.js';
import type { MemberChange, NewMemberLink } from '../storage/meta/members.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { AuditLog } from './audit-log.js';
import { BrowserSessions } from './browser-sessions.js';
import { newSecret, sha256 } from './secrets.js';

/** Invites members and signs them in. Links and sign-in codes are stored as hashes only. */
@Injectable()
export class MemberService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly address: ServiceAddress,
    private readonly sessions: BrowserSessions,
    private readonly audit: AuditLog,
  ) {}

  list(accountId: string): Promise<MemberSummary[]> {
    return this.meta.members.list(accountId);
  }

  /**
   * Only this answer has the whole link; the store has its hash.
   *
   * @throws ForbiddenException when the role has a scope that the caller lacks
   * @throws ConflictException when a member has that name, or the account has `LIMITS.members`
   */
  async invite(
    accountId: string,
    { name, role }: { name: string; role: Role },
    lifetimeS: number,
    callerScopes: readonly Scope[],
  ): Promise<MemberLink> {
    checkGrant(callerScopes, role);
    const { link, stored } = this.createLink(lifetimeS);
    const id = randomUUID();
    const createdAt = this.after(0);
    const member = { id, accountId, name, nameKey: normalizeName(name), role, createdAt };
    const result = await this.meta.members.invite(member, stored, LIMITS.members);
    if (result !== 'invited') {
      throw new ConflictException(
        result === 'name_taken'
          ? `The account already has a member named ${name}. Choose another name, or create a new link for that member`
          : `An account has at most ${LIMITS.members} members. Remove a member first`,
      );
    }
    return { id, name, role, created_at: createdAt, link_expires_at: stored.expiresAt, link };
  }

  /**
   * Replaces a lost link or a lost sign-in code.
   *
   * @throws NotFoundException
   * @throws ForbiddenException when the member's role has a scope that the caller lacks
   */
  async newLink(
    accountId: string,
    id: string,
    lifetimeS: number,
    callerScopes: readonly Scope[],
  ): Promise<MemberLink> {
    checkGrant(callerScopes, (await this.get(accountId, id)).role);
    const { link, stored } = this.createLink(lifetimeS);
    const linked = await this.meta.members.putLink(accountId, id, stored);
    if (linked === undefined) throw notFound(id);
    return { ...linked, link_expires_at: stored.expiresAt, link };
  }

  /**
   * Redeems a link: the member gets a new sign-in code, and the old code and sessions end.
   *
   * @returns the answer for the member, and the secret of a new browser session
   * @throws UnauthorizedException when the link is unknown, used or expired
   */
  async join(token: string, userAgent: string | undefined): Promise<{ answer: JoinAnswer; secret: string }> {
    const code = SIGN_IN_CODE_PREFIX + newSecret();
    const joined = await this.meta.members.join(sha256(token), sha256(code), this.after(0));
    const account = joined && (await this.meta.accounts.find(joined.accountId));
    if (joined === undefined || account === undefined) {
      throw new UnauthorizedException(
        'This link was already used or has expired. Ask an admin of the account for a new one',
      );
    }
    const { accountId, ...member } = joined;
    await this.audit.note(accountId, { action: 'member.join', object: member.id, member });
    return {
      answer: { member, account: { id: account.id, name: account.name }, sign_in_code: code },
      secret: await this.sessions.start({ accountId, member }, userAgent),
    };
  }

  /**
   * @returns the secret of a new browser session
   * @throws UnauthorizedException when no member has this code
   */
  async signIn(code: string, userAgent: string | undefined): Promise<string> {
    const found = await this.meta.members.findByCode(sha256(code));
    if (found === undefined) throw new UnauthorizedException('Invalid sign-in code');
    const { accountId, ...member } = found;
    return this.sessions.start({ accountId, member }, userAgent);
  }

  /**
   * @throws NotFoundException
   * @throws ForbiddenException when the role has a scope that the caller lacks
   * @throws ConflictException when this is the last admin
   */
  async changeRole(
    accountId: string,
    id: string,
    role: Role,
    callerScopes: readonly Scope[],
  ): Promise<MemberSummary> {
    checkGrant(callerScopes, role);
    checkChange(id, await this.meta.members.changeRole(accountId, id, role));
    return this.get(accountId, id);
  }

  /**
   * Removes the member, with sessions and unused link.
   *
   * @throws NotFoundException
   * @throws ConflictException when this is the last admin
   */
  async remove(accountId: string, id: string): Promise<void> {
    checkChange(id, await this.meta.members.remove(accountId, id));
  }

  /** @throws NotFoundException */
  private async get(accountId: string, id: string): Promise<MemberSummary> {
    const member = (await this.list(accountId)).find((one) => one.id === id);
    if (member === undefined) throw notFound(id);
    return member;
  }

  private createLink(lifetimeS: number): { link: string; stored: NewMemberLink } {
    const token = newSecret();
    return {
      link: `${this.address.url}/join#${token}`,
      stored: { hash: sha256(token), expiresAt: this.after(lifetimeS) },
    };
  }

  private after(seconds: number): string {
    return formatTimestamp(this.clock.nowUs() + seconds * 1e6);
  }
}

/** Names that look the same in lists are one name. */
function normalizeName(name: string): string {
  return name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** @throws ForbiddenException when the role has a scope that the caller lacks */
function checkGrant(callerScopes: readonly Scope[], role: Role): void {
  const beyond = SCOPES_OF_ROLE[role].filter((scope) => !allows(callerScopes, scope));
  if (beyond.length === 0) return;
  throw new ForbiddenException(
    `You cannot grant the role ${role}, because you lack its ${beyond.length === 1 ? 'scope' : 'scopes'} ${beyond.join(', ')}. ` +
      'Ask an admin, or use a key with every scope',
  );
}

/** @throws NotFoundException @throws ConflictException */
function checkChange(id: string, change: MemberChange): void {
  if (change === 'not_found') throw notFound(id);
  if (change === 'last_admin') {
    throw new ConflictException(
      'This is the last admin of the account. First make another joined member an admin',
    );
  }
}

function notFound(id: string): NotFoundException {
  return new NotFoundException(`Member ${id} not found`);
}
