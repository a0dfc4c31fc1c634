import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { BrowserSessions } from '../../accounts/browser-sessions.js';
import { ServiceAddress } from '../../service-address.js';
import { Needs } from '../access/needs.decorator.js';
import { sessionCookie } from '../access/session-cookie.js';
import { DashboardFiles } from '../dashboard/dashboard-files.js';

/** The target of one-time links: signs the browser in and redirects to the dashboard. */
@Controller('sign-in')
@Needs('nothing')
export class SignInController {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly address: ServiceAddress,
    private readonly dashboard: DashboardFiles,
  ) {}

  @Get()
  async signIn(
    @Query('token') token: unknown,
    @Headers('user-agent') userAgent: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (typeof token !== 'string') {
      this.dashboard.sendPage(reply);
      return;
    }
    const secret = await this.sessions.redeem(token, userAgent);
    if (secret === undefined) {
      void reply.redirect('/sign-in?reason=link-used', 303);
      return;
    }
    void reply.header('set-cookie', sessionCookie(secret, this.address.url)).redirect('/', 303);
  }
}
