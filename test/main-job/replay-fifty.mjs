// A program as a user would write it: records fifty calls, then replays them through a changed version.
import { Tracer } from '@dacapo/tracer';

const tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
});

const quote = tracer.withSpan('quote', async (order) => ({ order: order.no, total: order.price * 2 }));
for (let no = 0; no < 50; no += 1) await quote({ no, price: no });

const quoteV2 = tracer.withSpan('quote', async (order) => {
  if (order.no % 20 === 7) throw new RangeError(`No tax for ${order.no}`);
  return { order: order.no, total: order.price < 10 ? order.price * 2 : order.price * 3 };
});
const { testRunId, testRunUrl, items } = await tracer.replay('quote', quoteV2);
await tracer.shutdown();

console.log(
  JSON.stringify({
    testRunId,
    testRunUrl,
    items: items.map((item) => ({ ...item, error: item.error?.message })),
  }),
);
