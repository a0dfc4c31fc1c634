// Replays sixty recorded calls, a few at a time. Tests kill it midway and resume it.
import { Tracer } from '@dacapo/tracer';

const tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
});
const work = tracer.withSpan('work', (n) => n);
if (process.env.RESUME === undefined) for (let n = 0; n < 60; n++) work(n);

const { testRunId, status, totals } = await tracer.replay(
  'work',
  tracer.withSpan('work', async (n) => {
    await new Promise((resolve) => setTimeout(resolve, 80));
    return n;
  }),
  { maxConcurrency: 2, resume: process.env.RESUME },
);
await tracer.shutdown();
console.log(JSON.stringify({ testRunId, status, totals }));
