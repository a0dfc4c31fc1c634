import { measureInChild, median, withSink } from './children.mjs';

const ARMS = ['bare', 'simple', 'tight', 'unordered', 'dacapo'];
/** Long enough that compilation by the engine is a small part. */
const SPANS = { A: 120_000, B: 24_000, C: 120_000 };

/**
 * CPU µs per span for each arm and workload: medians of rounds, with a fresh process per arm. The arms of a round run at the same
 * time, so that other work on the machine slows them equally. A ratio is the median of the ratios within rounds.
 */
export function measureCpu(rounds, progress) {
  return withSink('healthy', async (url) => {
    const samples = new Map();
    for (let round = 1; round <= rounds; round++) {
      progress(`CPU a span, round ${round} of ${rounds}`);
      for (const workload of Object.keys(SPANS)) {
        const order = round % 2 === 0 ? ARMS : [...ARMS].reverse();
        const measured = order.map((arm) =>
          measureInChild('cpu-child.mjs', [arm, workload, SPANS[workload], url]),
        );
        for (const [index, { cpuUsASpan }] of (await Promise.all(measured)).entries()) {
          const key = `${workload} ${order[index]}`;
          samples.set(key, [...(samples.get(key) ?? []), cpuUsASpan]);
        }
      }
    }
    return Object.keys(SPANS).map((workload) => {
      const all = (arm) => samples.get(`${workload} ${arm}`);
      const ratio = (arm) => round2(median(all('dacapo').map((figure, round) => figure / all(arm)[round])));
      return {
        workload,
        ...Object.fromEntries(ARMS.map((arm) => [arm, round2(median(all(arm)))])),
        'dacapo ÷ tight': ratio('tight'),
        'dacapo ÷ simple': ratio('simple'),
        'dacapo ÷ unordered': ratio('unordered'),
      };
    });
  });
}

const round2 = (value) => Math.round(value * 100) / 100;
