import { Controller, Get } from '@nestjs/common';
import { IndexesClient } from '@dacapo/nestjs';
import type { IndexedService } from '@dacapo/tracer';

/** Lists the indexes that the agent can search. */
@Controller('indexes')
export class IndexesController {
  constructor(private readonly indexes: IndexesClient) {}

  @Get()
  async list(): Promise<{ indexes: IndexedService[] }> {
    return { indexes: await this.indexes.list({ refresh: true }) };
  }
}
