import { measureInChild, median, withSink } from './children.mjs';

const ARMS = ['bare', 'withSpan', 'wrapClient'];
const REQUESTS = { whole: 4000, stream: 1500 };

/**
 * CPU µs per request of OpenAI's client, bare, inside `withSpan` and wrapped: medians of interleaved rounds, with a fresh process
 * per arm. The response, 2 KB or 50 chunks, is created in the process.
 */
export function measureClient(rounds, progress) {
  return withSink('healthy', async (url) => {
    const samples = new Map();
    for (let round = 1; round <= rounds; round++) {
      progress(`CPU a request of a client, round ${round} of ${rounds}`);
      for (const kind of Object.keys(REQUESTS))
        for (const arm of round % 2 === 0 ? ARMS : [...ARMS].reverse()) {
          const { cpuUsARequest } = await measureInChild('client-child.mjs', [
            arm,
            kind,
            REQUESTS[kind],
            url,
          ]);
          const key = `${kind} ${arm}`;
          samples.set(key, [...(samples.get(key) ?? []), cpuUsARequest]);
        }
    }
    return Object.keys(REQUESTS).map((kind) => {
      const [bare, withSpan, wrapClient] = ARMS.map((arm) => median(samples.get(`${kind} ${arm}`)));
      return {
        answer: kind,
        bare: Math.round(bare),
        withSpan: Math.round(withSpan),
        wrapClient: Math.round(wrapClient),
        'withSpan adds': Math.round(withSpan - bare),
        'wrapClient adds': Math.round(wrapClient - bare),
      };
    });
  });
}
