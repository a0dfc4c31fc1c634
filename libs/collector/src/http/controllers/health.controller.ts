import { ROUTES } from '@dacapo/protocol';
import { Controller, Get } from '@nestjs/common';
import { MetaStore } from '../../storage/meta-store.js';
import { Needs } from '../access/needs.decorator.js';

@Controller()
@Needs('nothing')
export class HealthController {
  constructor(private readonly meta: MetaStore) {}

  /** The process answers. */
  @Get(ROUTES.live)
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The storage can be read and written; 503 when it cannot, with the reason. Either tells when all of it was looked through last. */
  @Get(ROUTES.ready)
  async ready(): Promise<{ status: 'ok'; checked_at?: string }> {
    const { checkedAt } = await this.meta.ping();
    return { status: 'ok', ...(checkedAt !== undefined && { checked_at: checkedAt }) };
  }
}
