import { ROUTES } from '@dacapo/protocol';
import { Controller, Get, Res } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { readFileSync } from 'node:fs';
import { NEED, type Need, Needs } from '../access/needs.decorator.js';
import type { QueryParameters } from '../query/query-parameters.js';
import { ServiceAddress } from '../../service-address.js';
import { apiSchemas } from '../body/unknown-fields.js';
import { TAKES } from '../query/takes.decorator.js';
import { type DeclaredRoute, type OpenApiDocument, openApiDocument } from './openapi-document.js';
import { DOCS_STYLE, renderDocs } from './render-docs.js';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
const DOCS_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";
const CACHED = 'public, max-age=300';

/** Describes the service to programs and to people. It tells nothing of what is stored, and needs no key. */
@Controller()
@Needs('nothing')
export class OpenApiController {
  private made: OpenApiDocument | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly address: ServiceAddress,
  ) {}

  @Get(ROUTES.openApi)
  document(): OpenApiDocument {
    return (this.made ??= openApiDocument(this.routes(), apiSchemas(), versionOfPackage(), this.address.url));
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

  /** What the handlers of all controllers declare. */
  private routes(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const prototype = Object.getPrototypeOf(instance) as Record<string, () => void>;
      const base = (this.read('path', metatype) as string | undefined) ?? '';
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        const method = handler && METHODS[(this.read('method', handler) as number | undefined) ?? -1];
        if (method === undefined) return [];
        const paths = [(this.read('path', handler) as string | string[] | undefined) ?? ''].flat();
        return paths.map((path) => ({
          method,
          path: `/${base}/${path}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1'),
          need:
            (this.read(NEED, handler) as Need | undefined) ??
            (this.read(NEED, metatype) as Need | undefined) ??
            'nothing',
          query: (this.read(TAKES, handler) as QueryParameters | undefined) ?? {},
          status:
            (this.read('__httpCode__', handler) as number | undefined) ?? (method === 'POST' ? 201 : 200),
        }));
      });
    });
  }

  private read(key: string, target: unknown): unknown {
    return this.reflector.get<unknown>(key, target as () => void);
  }
}

function versionOfPackage(): string {
  const manifest = readFileSync(require.resolve('@dacapo/collector/package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
