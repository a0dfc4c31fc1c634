import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Body, Controller, Post } from '@nestjs/common';
import { readGate } from '@dacapo/evaluation';
import { ReplayService } from '@dacapo/nestjs';
import { SchemaPipe } from '../validation/schema.pipe.js';
import * as evaluators from './evaluators.js';
import { type ReplayReport, toReplayReport } from './replay-report.js';
import { type ReplayRequest, replayRequestSchema, VERSIONS } from './replay-request.js';

/** Replays recorded calls through a version of their method, with the same gate as CI. */
@Controller('replays')
export class ReplaysController {
  private readonly gate = readGate(JSON.parse(readFileSync(join(__dirname, '../../gate.json'), 'utf8')));

  constructor(private readonly replays: ReplayService) {}

  @Post()
  async create(
    @Body(new SchemaPipe(replayRequestSchema)) { version, limit }: ReplayRequest,
  ): Promise<ReplayReport> {
    const result = await this.replays.replay(VERSIONS[version], 'classify', {
      limit,
      name: version,
      evaluators,
      gate: this.gate,
    });
    return toReplayReport(result);
  }
}
