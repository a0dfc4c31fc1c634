import { DEFAULT_LINK_LIFE_S } from '@dacapo/protocol';
import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { MemberService } from '../../accounts/member-service.js';
import { ServiceAddress } from '../../service-address.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { refuseOtherSites } from '../access/credentials.js';
import { sessionCookie } from '../access/session-cookie.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { list, invite, changeRole, createLink, remove, join } = API.members;

@Controller()
export class MembersController {
  constructor(
    private readonly members: MemberService,
    private readonly address: ServiceAddress,
  ) {}

  @Handles(list)
  async list(_: object, @Caller() accountId: string): Promise<Answer<typeof list>> {
    return { items: await this.members.list(accountId) };
  }

  @Handles(invite)
  @Audited('member.invite')
  invite(
    @RequestInput() { expires_in_s: lifetimeS = DEFAULT_LINK_LIFE_S, ...member }: Input<typeof invite>,
    @Identity() { accountId, scopes }: CallerIdentity,
  ) {
    return this.members.invite(accountId, member, lifetimeS, scopes);
  }

  @Handles(changeRole)
  @Audited('member.change_role')
  changeRole(
    @RequestInput() { id, role }: Input<typeof changeRole>,
    @Identity() { accountId, scopes }: CallerIdentity,
  ) {
    return this.members.changeRole(accountId, id, role, scopes);
  }

  @Handles(createLink)
  @Audited('member.new_link')
  createLink(
    @RequestInput() { id, expires_in_s: lifetimeS = DEFAULT_LINK_LIFE_S }: Input<typeof createLink>,
    @Identity() { accountId, scopes }: CallerIdentity,
  ) {
    return this.members.newLink(accountId, id, lifetimeS, scopes);
  }

  @Handles(remove)
  @Audited('member.remove')
  remove(@RequestInput() { id }: Input<typeof remove>, @Caller() accountId: string) {
    return this.members.remove(accountId, id);
  }

  /** Redeems the link and signs the browser in. A GET of the page redeems nothing, because chat programs preview links. */
  @Handles(join)
  async join(
    @RequestInput() { token }: Input<typeof join>,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    refuseOtherSites(headers, this.address.url);
    const { answer, secret } = await this.members.join(token, headers['user-agent']);
    void reply.header('set-cookie', sessionCookie(secret, this.address.url));
    return answer;
  }
}
