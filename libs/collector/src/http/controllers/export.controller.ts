import { ROUTES } from '@dacapo/protocol';
import { BadRequestException, Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { decodeCursor } from '../../cursor.js';
import { ExportService } from '../../export/export-service.js';
import type { ExportPlace } from '../../export/trace-export.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { type Query as QueryString, queryFields } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';
import { traceFilterOf } from '../query/trace-query.js';

@Controller()
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  /** The newest first. */
  @Get(ROUTES.export)
  @Takes('export')
  @Needs('read')
  async stream(
    @Caller() accountId: string,
    @Query() query: QueryString,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const lines = await this.exports.start(accountId, placeOf(query));
    void reply.type('application/x-ndjson; charset=utf-8').send(lines);
  }
}

/** @throws ProtocolError @throws InvalidCursorError */
function placeOf(query: QueryString): ExportPlace {
  if (!('cursor' in query)) {
    const names = Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    return { query: new URLSearchParams(names).toString(), filter: traceFilterOf(query) };
  }
  if (Object.keys(query).length > 1) {
    throw new BadRequestException('A cursor holds the filters of its export: send it alone');
  }
  const [by, id, text] = decodeCursor(queryFields(query).string('cursor'), 'time', 'text', 'text');
  const asked = new URLSearchParams(text);
  const filter = traceFilterOf(
    Object.fromEntries([...asked.keys()].map((name) => [name, valuesOf(asked, name)])),
  );
  return { query: text, filter, after: [by, id] };
}

/** As Fastify has them. */
function valuesOf(query: URLSearchParams, name: string): string | string[] {
  const [first = '', ...more] = query.getAll(name);
  return more.length === 0 ? first : [first, ...more];
}
