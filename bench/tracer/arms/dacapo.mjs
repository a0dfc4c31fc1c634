/** Dacapo with default settings: capture at call time, redaction, spool. */
import { Tracer } from '@dacapo/tracer';

export function createArm(url) {
  const tracer = new Tracer({
    apiKey: 'bench',
    serviceUrl: url,
    logger: { warn: (message) => console.error(message) },
  });
  return {
    trace: (key, fn) => tracer.withSpan(key, fn),
    finish: async () => {
      if (!(await tracer.flush(60_000)))
        throw new Error(`not all delivered: ${JSON.stringify(tracer.stats())}`);
    },
    stats: () => tracer.stats(),
  };
}
