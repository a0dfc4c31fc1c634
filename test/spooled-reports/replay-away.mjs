// Replays twenty recorded calls with a service that may be unreachable for reports, which then stay in files.
import { Tracer } from '@dacapo/tracer';

const tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
  delivery: { spoolDir: process.env.SPOOL_DIR },
  logger: { warn: () => undefined },
});
let played = 0;
const work = tracer.withSpan('work', (n) => n);
if (process.env.RESUME === undefined) for (let n = 0; n < 20; n++) work(n);
const replay = (n) => {
  played++;
  return n;
};
const { testRunId, status, totals } = await tracer.replay('work', replay, {
  limit: 20,
  timeoutMs: 2_000,
  resume: process.env.RESUME,
});
await tracer.shutdown();
console.log(JSON.stringify({ testRunId, status, totals, played }));
