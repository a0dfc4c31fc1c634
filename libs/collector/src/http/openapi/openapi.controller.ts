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
/** The OpenAPI description as an HTML page. */
const DOCS_PATH = '/api/docs';
const CACHED = 'public, max-age=300';

/** Describes the service for programs and people. It contains no stored data and needs no key. */
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

  @Get(DOCS_PATH)
  page(@Res() reply: FastifyReply): void {
    void reply
      .headers({ 'content-security-policy': DOCS_POLICY, 'cache-control': CACHED })
      .type('text/html; charset=utf-8')
      .send(renderDocs(this.document()));
  }

  @Get(`${DOCS_PATH}/style.css`)
  style(@Res() reply: FastifyReply): void {
    void reply.header('cache-control', CACHED).type('text/css; charset=utf-8').send(DOCS_STYLE);
  }
}

function readPackageVersion(): string {
  const manifest = readFileSync(require.resolve('@dacapo/collector/package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The schemas of recorded values. `npm run api` generates them from the protocol's types. */
function recordSchemas(): Record<string, Schema> {
  return JSON.parse(readFileSync(join(__dirname, 'schemas.json'), 'utf8')) as Record<string, Schema>;
}
