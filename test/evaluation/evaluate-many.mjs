// Evaluates recorded calls with three evaluators in little memory. Tests kill it midway and resume it.
// ITEMS: number of calls, recorded first unless RESUME names a run. PAUSE_MS: duration of each. Prints the result.
import { textSimilarity } from '@dacapo/evaluation';
import { Tracer } from '@dacapo/tracer';

const { ITEMS, PAUSE_MS = '5', RESUME, TRACER_API_KEY, TRACER_SERVICE_URL } = process.env;
const count = Number(ITEMS);
const tracer = new Tracer({ apiKey: TRACER_API_KEY, serviceUrl: TRACER_SERVICE_URL });
const text = (n) => `ticket ${n}: ${'my parcel is late '.repeat(5)}`;

if (RESUME === undefined) {
  const answer = tracer.withSpan('answer', { type: 'llm' }, (ticket) => `${ticket} noted`);
  for (let n = 0; n < count; n++) {
    answer(text(n));
    // Yields, so that the tracer can send records.
    if (n % 500 === 499) await tracer.flush();
  }
}

const heapMb = [];
const measure = () => {
  globalThis.gc?.();
  heapMb.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
};
let replayed = 0;
const result = await tracer.evaluate(
  async (ticket) => {
    await new Promise((resolve) => setTimeout(resolve, Number(PAUSE_MS)));
    return ticket.includes('7:') ? `${ticket} lost` : `${ticket} noted`;
  },
  {
    data: { key: 'answer' },
    resume: RESUME,
    keep: 'none',
    maxConcurrency: 20,
    evaluators: {
      similar: textSimilarity(),
      noted: ({ output }) => output.endsWith('noted'),
      long: ({ output }) => (output.length > 111 ? 1 : 0.5),
    },
    gate: { scores: { noted: { min: 0.99 } } },
    onItem: () => {
      if (++replayed % 1000 === 0) measure();
    },
  },
);
measure();
await tracer.shutdown();
const { testRunId, status, totals, scores, passed, failures } = result;
const counted = Object.fromEntries(
  Object.entries(scores).map(([name, { n, missing, mean }]) => [name, { n, missing, mean }]),
);
console.log(
  JSON.stringify({ testRunId, status, totals, scores: counted, passed, failures, replayed, heapMb }),
);
