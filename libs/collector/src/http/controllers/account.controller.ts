import { type AccountDetail, ROUTES } from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode } from '@nestjs/common';
import { AccountService } from '../../accounts/account-service.js';
import { Caller } from '../access/caller.decorator.js';

@Controller(ROUTES.account)
export class AccountController {
  constructor(private readonly accounts: AccountService) {}

  @Get()
  get(@Caller() accountId: string): Promise<AccountDetail> {
    return this.accounts.get(accountId);
  }

  @Delete()
  @HttpCode(204)
  delete(@Caller() accountId: string): Promise<void> {
    return this.accounts.delete(accountId);
  }
}
