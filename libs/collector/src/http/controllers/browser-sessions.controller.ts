import { type BrowserSessionSummary, type EndBrowserSessionsAnswer, ROUTES } from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { BrowserSessions } from '../../accounts/browser-sessions.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';

/** All browsers that are signed in to the account; its own each browser ends at {@link ROUTES.browserSession}. */
@Controller()
@Needs('manage')
export class BrowserSessionsController {
  constructor(private readonly sessions: BrowserSessions) {}

  @Get(ROUTES.browserSessions)
  async list(
    @Identity() { accountId, sessionId }: CallerIdentity,
  ): Promise<{ items: BrowserSessionSummary[] }> {
    return { items: await this.sessions.list(accountId, sessionId) };
  }

  /** Signs out everywhere, this browser too. */
  @Delete(ROUTES.browserSessions)
  @Audited('browser.sign_out_everywhere')
  async endAll(@Caller() accountId: string): Promise<EndBrowserSessionsAnswer> {
    return { ended: await this.sessions.endAll(accountId) };
  }

  @Delete(ROUTES.otherBrowserSession)
  @Audited('browser.sign_out')
  @HttpCode(204)
  end(@Caller() accountId: string, @Param('id') id: string): Promise<void> {
    return this.sessions.end(accountId, id);
  }
}
