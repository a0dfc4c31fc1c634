import { type CallerDetail, ROUTES } from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode } from '@nestjs/common';
import { AccountService } from '../../accounts/account-service.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';

@Controller(ROUTES.account)
export class AccountController {
  constructor(private readonly accounts: AccountService) {}

  @Get()
  @Needs('key')
  async get(@Identity() { accountId, scopes, member }: CallerIdentity): Promise<CallerDetail> {
    return { ...(await this.accounts.get(accountId)), scopes: [...scopes], ...(member && { member }) };
  }

  @Delete()
  @Needs('manage')
  @HttpCode(204)
  delete(@Caller() accountId: string): Promise<void> {
    return this.accounts.delete(accountId);
  }
}
