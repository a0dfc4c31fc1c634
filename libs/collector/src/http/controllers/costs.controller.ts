import { type ComputeCostsAnswer, type Fields, LIMITS, parseUsageRecord, ROUTES } from '@dacapo/protocol';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { Clock } from '../../clock.js';
import { PriceList } from '../../prices/price-list.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller()
export class CostsController {
  constructor(
    private readonly prices: PriceList,
    private readonly clock: Clock,
  ) {}

  /** By the prices of now, so that requests of different times can be compared. */
  @Post(ROUTES.costs)
  @Needs('read')
  @HttpCode(200)
  compute(@JsonBody() body: Fields): ComputeCostsAnswer {
    const usages = body.objects('usages', LIMITS.pricedUsages);
    const nowUs = this.clock.nowUs();
    return {
      price_version: this.prices.version,
      costs: usages.map((usage, index) => {
        const record = parseUsageRecord(`usages[${index}]`, usage);
        return this.prices.compute(record, nowUs)?.usd ?? null;
      }),
    };
  }
}
