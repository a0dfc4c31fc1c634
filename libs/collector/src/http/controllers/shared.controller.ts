import { LIMITS } from '@dacapo/protocol';
import { API, type Input } from '@dacapo/protocol/api';
import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SharedReader } from '../../sharing/shared-reader.js';
import { Handles, RequestInput } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';
import { sendMedia } from '../send-media.js';

const routes = API.shared;
type Routes = typeof routes;

/** What the holder of a share link reads. The secret in the path is all that lets him in. */
@Controller()
export class SharedController {
  constructor(private readonly shared: SharedReader) {}

  @Handles(routes.get)
  get(@RequestInput() { secret }: Input<Routes['get']>) {
    return this.shared.open(secret);
  }

  @Handles(routes.getTrace)
  getTrace(@RequestInput() { secret, id, limit = LIMITS.spansOfTrace, ...page }: Input<Routes['getTrace']>) {
    return this.shared.getTrace(secret, id, { limit, ...page });
  }

  @Handles(routes.getSpan)
  getSpan(@RequestInput() { secret, id, span_id: spanId }: Input<Routes['getSpan']>) {
    return this.shared.getSpan(secret, id, spanId);
  }

  @Handles(routes.getMedia)
  async getMedia(@RequestInput() { secret, id }: Input<Routes['getMedia']>, @Res() reply: FastifyReply) {
    sendMedia(await this.shared.getMedia(secret, id), reply);
  }

  @Handles(routes.getRun)
  getRun(@RequestInput() { secret, id }: Input<Routes['getRun']>) {
    return this.shared.getRun(secret, id);
  }

  @Handles(routes.listItems)
  listItems(@RequestInput() { secret, id, ...page }: Input<Routes['listItems']>) {
    return this.shared.listItems(secret, id, toPage(page));
  }

  @Handles(routes.getItem)
  getItem(@RequestInput() { secret, id, item_no, repetition = 0 }: Input<Routes['getItem']>) {
    return this.shared.getItem(secret, id, item_no, repetition);
  }
}
