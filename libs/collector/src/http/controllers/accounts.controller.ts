import { API, type Input } from '@dacapo/protocol/api';
import { Controller, UseGuards } from '@nestjs/common';
import { AccountService } from '../../accounts/account-service.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { OperatorGuard } from '../access/operator.guard.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { get, delete: remove, create } = API.accounts;

@Controller()
export class AccountsController {
  constructor(private readonly accounts: AccountService) {}

  @Handles(get)
  get(_: object, @Identity() caller: CallerIdentity) {
    return this.accounts.describeCaller(caller);
  }

  @Handles(remove)
  delete(_: object, @Caller() accountId: string) {
    return this.accounts.delete(accountId);
  }

  @Handles(create)
  @UseGuards(OperatorGuard)
  create(@RequestInput() { name }: Input<typeof create>) {
    return this.accounts.createWithKey(name);
  }
}
