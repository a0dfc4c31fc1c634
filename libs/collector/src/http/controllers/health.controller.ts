import { formatTimestamp } from '@dacapo/protocol';
import { type Answer, API } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { Clock } from '../../clock.js';
import { SpanForwarder } from '../../forwarding/span-forwarder.js';
import { MetaStore } from '../../storage/meta/meta-store.js';
import { SpanStore } from '../../storage/ports/span-store.js';
import { Handles } from '../routes/handles.decorator.js';

/** Indexing of texts that lags behind less than this is not reported. */
const USUAL_LAG_US = 60e6;

const { live, ready } = API.service;

@Controller()
export class HealthController {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly clock: Clock,
    private readonly forwarder: SpanForwarder,
  ) {}

  @Handles(live)
  live(): Promise<Answer<typeof live>> {
    return Promise.resolve({ status: 'ok' });
  }

  @Handles(ready)
  async ready(): Promise<Answer<typeof ready>> {
    const { checkedAt } = await this.meta.ping();
    const waitingSince = await this.spans.textsWaitSince();
    const isLate =
      waitingSince !== undefined && waitingSince < formatTimestamp(this.clock.nowUs() - USUAL_LAG_US);
    const forwarding = await this.forwarder.state();
    return {
      status: 'ok',
      ...(checkedAt !== undefined && { checked_at: checkedAt }),
      ...(isLate && { text_indexed_until: waitingSince }),
      ...(forwarding && {
        forwarding: {
          waiting_spans: forwarding.spans,
          ...(forwarding.since !== undefined && { waiting_since: forwarding.since }),
          ...(forwarding.problem !== undefined && { problem: forwarding.problem }),
        },
      }),
    };
  }
}
