import { allows, type CallerDetail, type Fields, ROUTES } from '@dacapo/protocol';
import { Controller, Delete, ForbiddenException, Get, Headers, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { AccountService } from '../../accounts/account-service.js';
import { Authenticator } from '../../accounts/authenticator.js';
import { BrowserSessions } from '../../accounts/browser-sessions.js';
import { MemberService } from '../../accounts/member-service.js';
import { ServiceAddress } from '../../service-address.js';
import { Audited } from '../access/audited.decorator.js';
import { type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { refuseOtherSites } from '../access/credentials.js';
import { sessionCookie } from '../access/session-cookie.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller(ROUTES.browserSession)
export class BrowserSessionController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly accounts: AccountService,
    private readonly sessions: BrowserSessions,
    private readonly members: MemberService,
    private readonly address: ServiceAddress,
  ) {}

  /** Signs a browser in by a key, or by the sign-in code of a member: the form of the dashboard. No other site may do so. */
  @Post()
  @Needs('nothing')
  @HttpCode(204)
  async signIn(
    @JsonBody() body: Fields,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    refuseOtherSites(headers, this.address.url);
    const secret = body.has('sign_in_code')
      ? await this.members.signIn(body.string('sign_in_code').trim(), headers['user-agent'])
      : await this.signInByKey(body.string('api_key').trim(), headers['user-agent']);
    void reply.header('set-cookie', sessionCookie(secret, this.address.url));
  }

  @Get()
  @Needs('key')
  async get(@Identity() { accountId, scopes, member }: CallerIdentity): Promise<CallerDetail> {
    return { ...(await this.accounts.get(accountId)), scopes: [...scopes], ...(member && { member }) };
  }

  @Delete()
  @Audited('browser.sign_out')
  @Needs('key')
  @HttpCode(204)
  async signOut(
    @Identity() { accountId, sessionId }: CallerIdentity,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    if (sessionId !== undefined) await this.sessions.end(accountId, sessionId);
    void reply.header('set-cookie', sessionCookie('', this.address.url));
  }

  private async signInByKey(apiKey: string, userAgent: string | undefined): Promise<string> {
    const holder = await this.authenticator.holderOf(apiKey);
    if (!allows(holder.scopes, 'read')) {
      throw new ForbiddenException(
        `A page shows nothing to this key: it has no scope read, only ${holder.scopes.join(', ')}. Sign in with a key that has it`,
      );
    }
    return this.sessions.start(holder, userAgent);
  }
}
