import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { FunctionService } from '../../functions/function-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { list, listVersions, push, get, activate } = API.functions;

@Controller()
export class FunctionsController {
  constructor(private readonly functions: FunctionService) {}

  @Handles(list)
  async list(_: object, @Caller() accountId: string): Promise<Answer<typeof list>> {
    return { items: await this.functions.list(accountId) };
  }

  @Handles(listVersions)
  async listVersions(
    @RequestInput() { name }: Input<typeof listVersions>,
    @Caller() accountId: string,
  ): Promise<Answer<typeof listVersions>> {
    return { items: await this.functions.listVersions(accountId, name) };
  }

  @Handles(push)
  @Audited('function.push')
  push(@RequestInput() version: Input<typeof push>, @Caller() accountId: string) {
    return this.functions.push(accountId, version);
  }

  /** Sets an ETag. A client that has the version gets 304 without a body. */
  @Handles(get)
  async get(
    @RequestInput() { name, version }: Input<typeof get>,
    @Caller() accountId: string,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const found = await this.functions.get(accountId, name, version);
    const etag = `"${found.version}${found.is_active ? '-active' : ''}"`;
    void reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)) void reply.status(304);
    return found;
  }

  @Handles(activate)
  @Audited('function.activate')
  activate(@RequestInput() request: Input<typeof activate>, @Caller() accountId: string) {
    return this.functions.activate(accountId, request);
  }
}
