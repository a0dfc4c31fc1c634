import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryStats, Tracer } from '@dacapo/tracer';
import { MODULE_TRACER_TOKEN } from '../tokens.js';

export interface TracerHealthOptions {
  /** `down` when more records than this wait. Default: no limit. */
  maxWaiting?: number | undefined;
}

interface TracerHealth {
  readonly status: 'up' | 'down';
  readonly enabled: boolean;
  readonly service: DeliveryStats['service'];
  readonly recorded: number;
  readonly delivered: number;
  readonly waiting: number;
  readonly dropped: number;
}

/**
 * Health indicator for `@nestjs/terminus` 11 and newer. `down` when records were dropped since the last check, when the
 * service refuses the key, or when too many records wait. `up` while the service is unreachable or the tracer is off.
 * Sends no request.
 */
@Injectable()
export class TracerHealthIndicator {
  private droppedBefore = 0;

  constructor(@Inject(MODULE_TRACER_TOKEN) private readonly tracer: Tracer) {}

  /** @param key the indicator's name in the answer */
  check<K extends string = 'tracer'>(
    key: K = 'tracer' as K,
    options: TracerHealthOptions = {},
  ): Record<K, TracerHealth> {
    const { recorded, delivered, waiting, service, dropped: byReason } = this.tracer.stats();
    const dropped = Object.values(byReason).reduce((sum, count) => sum + count, 0);
    const isLosing = dropped > this.droppedBefore;
    this.droppedBefore = dropped;
    const isDown = isLosing || service === 'refusing' || waiting > (options.maxWaiting ?? Infinity);
    const health: TracerHealth = {
      status: isDown ? 'down' : 'up',
      enabled: this.tracer.enabled,
      service,
      recorded,
      delivered,
      waiting,
      dropped,
    };
    return { [key]: health } as Record<K, TracerHealth>;
  }
}
