import {
  type Fields,
  type FunctionSummary,
  type FunctionVersionRecord,
  type FunctionVersionSummary,
  ROUTES,
} from '@dacapo/protocol';
import { BadRequestException, Controller, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { FunctionService } from '../../functions/function-service.js';
import { readPush } from '../../functions/read-push.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller()
export class FunctionsController {
  constructor(private readonly functions: FunctionService) {}

  @Get(ROUTES.functions)
  @Needs('read')
  async list(@Caller() accountId: string): Promise<{ items: FunctionSummary[] }> {
    return { items: await this.functions.list(accountId) };
  }

  @Get(ROUTES.functionVersions)
  @Needs('read')
  async listVersions(
    @Caller() accountId: string,
    @Param('name') name: string,
  ): Promise<{ items: FunctionVersionSummary[] }> {
    return { items: await this.functions.listVersions(accountId, name) };
  }

  @Post(ROUTES.functionVersions)
  @Audited('function.push')
  @Needs('manage')
  push(
    @Caller() accountId: string,
    @Param('name') name: string,
    @JsonBody() body: Fields,
  ): Promise<FunctionVersionRecord> {
    return this.functions.push(accountId, name, readPush(name, body));
  }

  /** With an ETag: a client that has the version gets 304 without a body. */
  @Get(ROUTES.functionVersion)
  @Needs('read')
  async get(
    @Caller() accountId: string,
    @Param('name') name: string,
    @Param('version') version: string,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FunctionVersionRecord | undefined> {
    const found = await this.functions.get(accountId, name, versionOf(version));
    const etag = `"${found.version}${found.is_active ? '-active' : ''}"`;
    void reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) !== true) return found;
    void reply.status(304);
    return undefined;
  }

  @Post(ROUTES.activateFunction)
  @Audited('function.activate')
  @Needs('manage')
  @HttpCode(200)
  activate(
    @Caller() accountId: string,
    @Param('name') name: string,
    @JsonBody() body: Fields,
  ): Promise<FunctionVersionRecord> {
    return this.functions.activate(accountId, name, body.integer('version', 1, Number.MAX_SAFE_INTEGER));
  }
}

function versionOf(text: string): number | 'active' {
  if (text === 'active') return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new BadRequestException(`version must be a number from 1 up, or active, not ${JSON.stringify(text)}`);
}
