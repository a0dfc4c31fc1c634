import { Body, Controller, Post } from '@nestjs/common';
import { ReplayService } from '@dacapo/nestjs';
import { SchemaPipe } from '../validation/schema.pipe.js';
import { type ReplayReport, reportOf } from './replay-report.js';
import { type ReplayRequest, replayRequestSchema, VERSIONS } from './replay-request.js';

/** Plays stored calls again through a version of their method. */
@Controller('replays')
export class ReplaysController {
  constructor(private readonly replays: ReplayService) {}

  @Post()
  async create(
    @Body(new SchemaPipe(replayRequestSchema)) { version, limit }: ReplayRequest,
  ): Promise<ReplayReport> {
    const result = await this.replays.replay(VERSIONS[version], 'classify', { limit, name: version });
    return reportOf(result);
  }
}
