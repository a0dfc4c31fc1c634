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
import type { MemberChange, NewMemberLink } from '../storage/member-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { AuditLog } from './audit-log.js';
import { BrowserSessions } from './browser-sessions.js';
import { randomBase62, sha256 } from './secrets.js';

/** 43 characters of base62: 256 random bits. */
const SECRET_LENGTH = 43;

/** Invites members and lets them in. Links and sign-in codes are stored as hashes alone. */
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
   * The answer holds the whole link; it is not kept anywhere.
   *
   * @param givenBy what its maker may do, who gives no role that may more
   * @throws ForbiddenException
   * @throws ConflictException when a member has that name, or there are too many
   */
  async invite(
    accountId: string,
    { name, role }: { name: string; role: Role },
    lifeS: number,
    givenBy: readonly Scope[],
  ): Promise<MemberLink> {
    refuseBeyond(givenBy, role);
    const [id, createdAt, { link, stored }] = [randomUUID(), this.after(0), this.newSecret(lifeS)];
    const member = { id, accountId, name, nameKey: nameKeyOf(name), role, createdAt };
    const outcome = await this.meta.members.invite(member, stored, LIMITS.members);
    if (outcome !== 'invited') {
      throw new ConflictException(
        outcome === 'name_taken'
          ? `The account has a member of the name ${name} already. Choose another name, or make that one a new link`
          : `An account has at most ${LIMITS.members} members. Remove one who does not come any more`,
      );
    }
    return { id, name, role, created_at: createdAt, link_expires_at: stored.expiresAt, link };
  }

  /**
   * A link in the place of the one before, for who lost that one or the sign-in code.
   *
   * @throws NotFoundException
   * @throws ForbiddenException when the member may do what the caller may not
   */
  async newLink(
    accountId: string,
    id: string,
    lifeS: number,
    givenBy: readonly Scope[],
  ): Promise<MemberLink> {
    refuseBeyond(givenBy, (await this.get(accountId, id)).role);
    const { link, stored } = this.newSecret(lifeS);
    const linked = await this.meta.members.putLink(accountId, id, stored);
    if (linked === undefined) throw notFound(id);
    return { ...linked, link_expires_at: stored.expiresAt, link };
  }

  /**
   * Uses a link up. Whoever had the member's sign-in code, or was signed in as this member, is not any more.
   *
   * @returns what the member gets, and the secret of a new browser session
   * @throws UnauthorizedException when the link is unknown, used or expired
   */
  async join(token: string, userAgent: string | undefined): Promise<{ answer: JoinAnswer; secret: string }> {
    const code = SIGN_IN_CODE_PREFIX + randomBase62(SECRET_LENGTH);
    const joined = await this.meta.members.join(sha256(token), sha256(code), this.after(0));
    const account = joined && (await this.meta.accounts.find(joined.accountId));
    if (joined === undefined || account === undefined) {
      throw new UnauthorizedException(
        'This link was used already, or it has expired. Ask an admin of the account for a new one',
      );
    }
    const { accountId, ...member } = joined;
    await this.audit.note(accountId, { action: 'member.join', object: member.id, member });
    return {
      answer: { member, account: { id: account.id, name: account.name }, sign_in_code: code },
      secret: await this.sessions.start({ accountId, member }, userAgent),
    };
  }

  /** @returns the secret of a new browser session @throws UnauthorizedException when it is no member's code */
  async signIn(code: string, userAgent: string | undefined): Promise<string> {
    const found = await this.meta.members.findByCode(sha256(code));
    if (found === undefined) throw new UnauthorizedException('Invalid sign-in code');
    const { accountId, ...member } = found;
    return this.sessions.start({ accountId, member }, userAgent);
  }

  /**
   * @throws NotFoundException
   * @throws ForbiddenException when the role may do what the caller may not
   * @throws ConflictException when nobody else is an admin
   */
  async changeRole(
    accountId: string,
    id: string,
    role: Role,
    givenBy: readonly Scope[],
  ): Promise<MemberSummary> {
    refuseBeyond(givenBy, role);
    refuseUnlessDone(id, await this.meta.members.changeRole(accountId, id, role));
    return this.get(accountId, id);
  }

  /**
   * Signs the member out everywhere, at once. An unused link is withdrawn.
   *
   * @throws NotFoundException
   * @throws ConflictException when nobody else is an admin
   */
  async remove(accountId: string, id: string): Promise<void> {
    refuseUnlessDone(id, await this.meta.members.remove(accountId, id));
  }

  /** @throws NotFoundException */
  private async get(accountId: string, id: string): Promise<MemberSummary> {
    const member = (await this.list(accountId)).find((one) => one.id === id);
    if (member === undefined) throw notFound(id);
    return member;
  }

  private newSecret(lifeS: number): { link: string; stored: NewMemberLink } {
    const token = randomBase62(SECRET_LENGTH);
    return {
      link: `${this.address.url}/join#${token}`,
      stored: { hash: sha256(token), expiresAt: this.after(lifeS) },
    };
  }

  private after(seconds: number): string {
    return formatTimestamp(this.clock.nowUs() + seconds * 1e6);
  }
}

/** Names that look the same to a reader of scores and of the audit log are one name. */
function nameKeyOf(name: string): string {
  return name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** @throws ForbiddenException */
function refuseBeyond(givenBy: readonly Scope[], role: Role): void {
  const beyond = SCOPES_OF_ROLE[role].filter((scope) => !allows(givenBy, scope));
  if (beyond.length === 0) return;
  throw new ForbiddenException(
    `Nobody gives more than he has: the role ${role} has the ${beyond.length === 1 ? 'scope' : 'scopes'} ${beyond.join(', ')}. ` +
      'Do it as an admin, or with a key that has every scope',
  );
}

/** @throws NotFoundException @throws ConflictException */
function refuseUnlessDone(id: string, change: MemberChange): void {
  if (change === 'not_found') throw notFound(id);
  if (change === 'last_admin') {
    throw new ConflictException(
      'This is the last admin of the account. Make another member an admin first, who has joined',
    );
  }
}

function notFound(id: string): NotFoundException {
  return new NotFoundException(`Member ${id} not found`);
}
