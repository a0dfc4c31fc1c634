import type { ListConditions } from '@dacapo/protocol';
import { API, type Input } from '@dacapo/protocol/api';
import { BadRequestException, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parse } from 'node:querystring';
import { decodeCursor } from '../../cursor.js';
import { ExportService } from '../../export/export-service.js';
import type { ExportPlace } from '../../export/trace-export.js';
import { toTraceFilter } from '../../traces/to-trace-filter.js';
import { Caller } from '../access/caller.decorator.js';
import { parseScalars } from '../routes/trace-query.js';
import { RequestInput, Handles, readQuery } from '../routes/handles.decorator.js';

const { export: stream } = API.traces;

@Controller()
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  /** Newest first. */
  @Handles(stream)
  async stream(
    @RequestInput() query: Input<typeof stream>,
    @Caller() accountId: string,
    @Req() { url }: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const lines = await this.exports.start(accountId, toPlace(query, url.split('?')[1] ?? ''));
    void reply.type('application/x-ndjson; charset=utf-8').send(lines);
  }
}

/** @param queryText the conditions as they were sent @throws ProtocolError @throws InvalidCursorError */
function toPlace({ cursor, ...conditions }: Input<typeof stream>, queryText: string): ExportPlace {
  if (cursor === undefined) return { query: queryText, filter: toTraceFilter(conditions, parseScalars) };
  if (Object.keys(conditions).length > 0) {
    throw new BadRequestException('A cursor contains the filters of its export: send it without others');
  }
  const [by, id, query] = decodeCursor(cursor, 'time', 'text', 'text');
  const begun = readQuery(stream, parse(query) as Record<string, string>) as ListConditions;
  return { query, filter: toTraceFilter(begun, parseScalars), after: [by, id] };
}
