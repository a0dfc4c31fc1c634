import { formatTimestamp, ROUTES } from '@dacapo/protocol';
import { Controller, Get } from '@nestjs/common';
import { Clock } from '../../clock.js';
import { MetaStore } from '../../storage/meta-store.js';
import { SpanStore } from '../../storage/span-store.js';
import { Needs } from '../access/needs.decorator.js';

/** What waits no longer than that for the index of texts is on its way. */
const USUAL_LAG_US = 60e6;

@Controller()
@Needs('nothing')
export class HealthController {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly clock: Clock,
  ) {}

  /** The process answers. */
  @Get(ROUTES.live)
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * The storage can be read and written; 503 when it cannot, with the reason. Either tells when all of it was looked through last. That
   * the index of texts is more than a minute behind is told, and no failure.
   */
  @Get(ROUTES.ready)
  async ready(): Promise<{ status: 'ok'; checked_at?: string; text_indexed_until?: string }> {
    const { checkedAt } = await this.meta.ping();
    const waitingSince = await this.spans.textsWaitSince();
    const isLate =
      waitingSince !== undefined && waitingSince < formatTimestamp(this.clock.nowUs() - USUAL_LAG_US);
    return {
      status: 'ok',
      ...(checkedAt !== undefined && { checked_at: checkedAt }),
      ...(isLate && { text_indexed_until: waitingSince }),
    };
  }
}
