import {
  DEFAULT_LINK_LIFE_S,
  type Fields,
  type JoinAnswer,
  LIMITS,
  LONGEST_LINK_LIFE_S,
  type MemberLink,
  type MemberSummary,
  ROLES,
  ROUTES,
} from '@dacapo/protocol';
import { Controller, Delete, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { MemberService } from '../../accounts/member-service.js';
import { ServiceAddress } from '../../service-address.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { refuseOtherSites } from '../access/credentials.js';
import { Needs } from '../access/needs.decorator.js';
import { sessionCookie } from '../access/session-cookie.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller()
@Needs('manage')
export class MembersController {
  constructor(
    private readonly members: MemberService,
    private readonly address: ServiceAddress,
  ) {}

  @Get(ROUTES.members)
  async list(@Caller() accountId: string): Promise<{ items: MemberSummary[] }> {
    return { items: await this.members.list(accountId) };
  }

  @Post(ROUTES.members)
  @Audited('member.invite')
  invite(@Identity() { accountId, scopes }: CallerIdentity, @JsonBody() body: Fields): Promise<MemberLink> {
    const member = { name: nameOf(body), role: body.oneOf('role', ROLES) };
    return this.members.invite(accountId, member, linkLifeOf(body), scopes);
  }

  @Post(ROUTES.memberRole)
  @Audited('member.change_role')
  @HttpCode(200)
  changeRole(
    @Identity() { accountId, scopes }: CallerIdentity,
    @Param('id') id: string,
    @JsonBody() body: Fields,
  ): Promise<MemberSummary> {
    return this.members.changeRole(accountId, id, body.oneOf('role', ROLES), scopes);
  }

  @Post(ROUTES.memberLink)
  @Audited('member.new_link')
  newLink(
    @Identity() { accountId, scopes }: CallerIdentity,
    @Param('id') id: string,
    @JsonBody('optional') body: Fields,
  ): Promise<MemberLink> {
    return this.members.newLink(accountId, id, linkLifeOf(body), scopes);
  }

  @Delete(ROUTES.member)
  @Audited('member.remove')
  @HttpCode(204)
  remove(@Caller() accountId: string, @Param('id') id: string): Promise<void> {
    return this.members.remove(accountId, id);
  }

  /** Signs the browser in. A page that is only looked at, as chat programs do with links, uses nothing up. */
  @Post(ROUTES.join)
  @Needs('nothing')
  @HttpCode(200)
  async join(
    @JsonBody() body: Fields,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JoinAnswer> {
    refuseOtherSites(headers, this.address.url);
    const { answer, secret } = await this.members.join(body.string('token'), headers['user-agent']);
    void reply.header('set-cookie', sessionCookie(secret, this.address.url));
    return answer;
  }
}

function nameOf(body: Fields): string {
  const name = body.label('name').trim();
  if (name.length > LIMITS.memberNameLength) {
    body.fail('name', `must have at most ${LIMITS.memberNameLength} characters, not ${name.length}`);
  }
  return name;
}

function linkLifeOf(body: Fields): number {
  return body.has('expires_in_s')
    ? body.integer('expires_in_s', 1, LONGEST_LINK_LIFE_S)
    : DEFAULT_LINK_LIFE_S;
}
