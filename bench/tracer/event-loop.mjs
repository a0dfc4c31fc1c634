import { measureInChild, median, withSink } from './children.mjs';

const ARMS = ['bare', 'simple', 'tight', 'dacapo'];

/** Event-loop delay in ms at 1,000 spans/s of workload B: medians of interleaved rounds. */
export function measureEventLoop(rounds, seconds, progress) {
  return withSink('healthy', async (url) => {
    const samples = Object.fromEntries(ARMS.map((arm) => [arm, []]));
    for (let round = 1; round <= rounds; round++) {
      progress(`event loop, round ${round} of ${rounds}`);
      for (const arm of ARMS)
        samples[arm].push(await measureInChild('event-loop-child.mjs', [arm, seconds, url]));
    }
    const of = (arm, field) => Math.round(median(samples[arm].map((sample) => sample[field])) * 100) / 100;
    return ARMS.map((arm) => ({ arm, 'p99 ms': of(arm, 'p99Ms'), 'longest ms': of(arm, 'longestMs') }));
  });
}
