import { Controller, Get } from '@nestjs/common';
import { IndexesClient } from '@dacapo/nestjs';
import type { IndexedService } from '@dacapo/tracer';

/** What the agent can look things up in. */
@Controller('indexes')
export class IndexesController {
  constructor(private readonly indexes: IndexesClient) {}

  @Get()
  async list(): Promise<{ indexes: IndexedService[] }> {
    return { indexes: await this.indexes.list({ refresh: true }) };
  }
}
