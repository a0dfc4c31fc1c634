import { ROUTES } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Needs } from '../access/needs.decorator.js';
import { ServiceAddress } from '../../service-address.js';
import { Handles } from '../routes/handles.decorator.js';
import { type OpenApiDocument, openApiDocument, type Schema } from './openapi-document.js';
import { DOCS_STYLE, renderDocs } from './render-docs.js';

const DOCS_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";
const CACHED = 'public, max-age=300';

/** Describes the service to programs and to people. It tells nothing of what is stored, and needs no key. */
@Controller()
@Needs('nothing')
export class OpenApiController {
  private made: OpenApiDocument | undefined;

  constructor(private readonly address: ServiceAddress) {}

  @Handles(API.service.openApi)
  openApi() {
    return Promise.resolve(this.document());
  }

  private document(): OpenApiDocument {
    return (this.made ??= openApiDocument(recordSchemas(), readPackageVersion(), this.address.url));
  }

  @Get(ROUTES.apiDocs)
  page(@Res() reply: FastifyReply): void {
    void reply
      .headers({ 'content-security-policy': DOCS_POLICY, 'cache-control': CACHED })
      .type('text/html; charset=utf-8')
      .send(renderDocs(this.document()));
  }

  @Get(ROUTES.apiDocsStyle)
  style(@Res() reply: FastifyReply): void {
    void reply.header('cache-control', CACHED).type('text/css; charset=utf-8').send(DOCS_STYLE);
  }
}

function readPackageVersion(): string {
  const manifest = readFileSync(require.resolve('@dacapo/collector/package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The types of what is recorded, made of the protocol's types by `npm run api`. */
function recordSchemas(): Record<string, Schema> {
  return JSON.parse(readFileSync(join(__dirname, 'schemas.json'), 'utf8')) as Record<string, Schema>;
}
