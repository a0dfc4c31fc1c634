import { type CreatedAccount, type Fields, ROUTES } from '@dacapo/protocol';
import {
  Controller,
  ForbiddenException,
  NotFoundException,
  Post,
  Req,
  UnauthorizedException,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountService } from '../../accounts/account-service.js';
import { isSameHash, sha256 } from '../../accounts/secrets.js';
import { ResolvedOptions } from '../../options.js';
import { apiKeyOf } from '../access/credentials.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

/** What the operator of the service does. No account's key may do it, and without an operator token there is no such route. */
@Controller(ROUTES.accounts)
@Needs('nothing')
export class AccountsController {
  private readonly tokenHash: Uint8Array | undefined;

  constructor(
    private readonly accounts: AccountService,
    { operatorToken }: ResolvedOptions,
  ) {
    this.tokenHash = operatorToken === undefined ? undefined : sha256(operatorToken);
  }

  @Post()
  async create(
    @Req() request: FastifyRequest,
    @JsonBody('lazy') body: () => Promise<Fields>,
  ): Promise<CreatedAccount> {
    if (this.tokenHash === undefined) throw new NotFoundException(`Cannot POST ${ROUTES.accounts}`);
    const token = apiKeyOf(request.headers);
    if (token === undefined) throw new UnauthorizedException('Operator token missing');
    if (!isSameHash(sha256(token), this.tokenHash)) {
      throw new ForbiddenException('Only the operator token creates accounts; no API key does');
    }
    return this.accounts.createWithKey((await body()).label('name'));
  }
}
