import { API, type Input } from '@dacapo/protocol/api';
import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LiveChanges } from '../../live/live-changes.js';
import { Caller } from '../access/caller.decorator.js';
import { Handles, RequestInput } from '../routes/handles.decorator.js';

const { watch } = API.traces;

const LONGEST_S = 60;

@Controller()
export class LiveController {
  constructor(private readonly changes: LiveChanges) {}

  @Handles(watch)
  watch(
    @RequestInput() { seconds = LONGEST_S }: Input<typeof watch>,
    @Caller() accountId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Proxies such as nginx would collect the events.
    void reply.headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' });
    void reply.type('text/event-stream; charset=utf-8').send(this.changes.open(accountId, seconds * 1000));
    return Promise.resolve();
  }
}
