import { parseUsageRecord } from '@dacapo/protocol';
import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { Clock } from '../../clock.js';
import { PriceList } from '../../prices/price-list.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { compute } = API.costs;

@Controller()
export class CostsController {
  constructor(
    private readonly prices: PriceList,
    private readonly clock: Clock,
  ) {}

  /** Uses the current prices, so costs of calls from different times can be compared. */
  @Handles(compute)
  compute(@RequestInput() { usages }: Input<typeof compute>): Promise<Answer<typeof compute>> {
    const nowUs = this.clock.nowUs();
    const costs = usages.map((usage, index) => {
      const record = parseUsageRecord(`usages[${index}]`, usage);
      return this.prices.compute(record, nowUs)?.usd ?? null;
    });
    return Promise.resolve({ price_version: this.prices.version, costs });
  }
}
