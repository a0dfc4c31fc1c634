import { type AccountDetail, type Fields, ROUTES } from '@dacapo/protocol';
import { Controller, Delete, ForbiddenException, Get, Headers, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { AccountService } from '../../accounts/account-service.js';
import { Authenticator } from '../../accounts/authenticator.js';
import { BrowserSessions } from '../../accounts/browser-sessions.js';
import { ServiceAddress } from '../../service-address.js';
import { Caller } from '../access/caller.decorator.js';
import { isSameOrigin } from '../access/credentials.js';
import { Public } from '../access/public.decorator.js';
import { sessionCookie, sessionCookieOf } from '../access/session-cookie.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller(ROUTES.browserSession)
export class BrowserSessionController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly accounts: AccountService,
    private readonly sessions: BrowserSessions,
    private readonly address: ServiceAddress,
  ) {}

  /** Signs a browser in by a key: the form of the dashboard. No other site may do so. */
  @Post()
  @Public()
  @HttpCode(204)
  async signIn(
    @JsonBody() body: Fields,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    if (headers.origin !== undefined && !isSameOrigin(headers, this.address.url)) {
      throw new ForbiddenException('Sign in from a page of this service only');
    }
    const accountId = await this.authenticator.accountOf(body.string('api_key').trim());
    void reply.header('set-cookie', sessionCookie(await this.sessions.start(accountId), this.address.url));
  }

  @Get()
  get(@Caller() accountId: string): Promise<AccountDetail> {
    return this.accounts.get(accountId);
  }

  @Delete()
  @HttpCode(204)
  async signOut(
    @Caller() _accountId: string,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const secret = sessionCookieOf(headers);
    if (secret !== undefined) await this.sessions.end(secret);
    void reply.header('set-cookie', sessionCookie('', this.address.url));
  }
}
