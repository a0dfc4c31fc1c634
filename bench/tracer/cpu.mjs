import { measureInChild, median, withSink } from './children.mjs';

const ARMS = ['bare', 'simple', 'tight', 'dacapo'];
const SPANS = { A: 60_000, B: 12_000, C: 60_000 };

/** CPU µs a span for each arm and workload: medians of interleaved rounds, each arm a fresh process. */
export function measureCpu(rounds, progress) {
  return withSink('healthy', async (url) => {
    const samples = new Map();
    for (let round = 1; round <= rounds; round++) {
      progress(`CPU a span, round ${round} of ${rounds}`);
      for (const workload of Object.keys(SPANS)) {
        const order = round % 2 === 0 ? ARMS : [...ARMS].reverse();
        for (const arm of order) {
          const { cpuUsASpan } = await measureInChild('cpu-child.mjs', [arm, workload, SPANS[workload], url]);
          const key = `${workload} ${arm}`;
          samples.set(key, [...(samples.get(key) ?? []), cpuUsASpan]);
        }
      }
    }
    return Object.keys(SPANS).map((workload) => {
      const of = (arm) => median(samples.get(`${workload} ${arm}`));
      return {
        workload,
        ...Object.fromEntries(ARMS.map((arm) => [arm, round2(of(arm))])),
        'dacapo ÷ tight': round2(of('dacapo') / of('tight')),
        'dacapo ÷ simple': round2(of('dacapo') / of('simple')),
      };
    });
  });
}

const round2 = (value) => Math.round(value * 100) / 100;
