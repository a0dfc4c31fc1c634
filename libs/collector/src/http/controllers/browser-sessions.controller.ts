import { allows } from '@dacapo/protocol';
import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller, ForbiddenException, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { AccountService } from '../../accounts/account-service.js';
import { Authenticator } from '../../accounts/authenticator.js';
import { BrowserSessions } from '../../accounts/browser-sessions.js';
import { MemberService } from '../../accounts/member-service.js';
import { ServiceAddress } from '../../service-address.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { refuseOtherSites } from '../access/credentials.js';
import { sessionCookie } from '../access/session-cookie.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { signIn, get, signOut, list, endAll, end } = API.browserSessions;

@Controller()
export class BrowserSessionsController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly accounts: AccountService,
    private readonly sessions: BrowserSessions,
    private readonly members: MemberService,
    private readonly address: ServiceAddress,
  ) {}

  /** Serves the dashboard's sign-in form. No other site may sign a browser in. */
  @Handles(signIn)
  async signIn(
    @RequestInput() request: Input<typeof signIn>,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    refuseOtherSites(headers, this.address.url);
    const secret =
      'sign_in_code' in request
        ? await this.members.signIn(request.sign_in_code, headers['user-agent'])
        : await this.signInByKey(request.api_key, headers['user-agent']);
    void reply.header('set-cookie', sessionCookie(secret, this.address.url));
  }

  @Handles(get)
  get(_: object, @Identity() caller: CallerIdentity) {
    return this.accounts.describeCaller(caller);
  }

  @Handles(signOut)
  @Audited('browser.sign_out')
  async signOut(
    _: object,
    @Identity() { accountId, sessionId }: CallerIdentity,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (sessionId !== undefined) await this.sessions.end(accountId, sessionId);
    void reply.header('set-cookie', sessionCookie('', this.address.url));
  }

  @Handles(list)
  async list(_: object, @Identity() { accountId, sessionId }: CallerIdentity): Promise<Answer<typeof list>> {
    return { items: await this.sessions.list(accountId, sessionId) };
  }

  @Handles(endAll)
  @Audited('browser.sign_out_everywhere')
  async endAll(_: object, @Caller() accountId: string): Promise<Answer<typeof endAll>> {
    return { ended: await this.sessions.endAll(accountId) };
  }

  @Handles(end)
  @Audited('browser.sign_out')
  end(@RequestInput() { id }: Input<typeof end>, @Caller() accountId: string) {
    return this.sessions.end(accountId, id);
  }

  private async signInByKey(apiKey: string, userAgent: string | undefined): Promise<string> {
    const holder = await this.authenticator.authenticate(apiKey);
    if (!allows(holder.scopes, 'read')) {
      throw new ForbiddenException(
        `This key cannot read the dashboard: it lacks the scope read and has only ${holder.scopes.join(', ')}. Sign in with a key that has the scope read`,
      );
    }
    return this.sessions.start(holder, userAgent);
  }
}
