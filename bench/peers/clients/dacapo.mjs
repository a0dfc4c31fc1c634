import { Tracer } from '@dacapo/tracer';

export function wrapWith(url, capture = {}) {
  const tracer = new Tracer({ apiKey: 'bench', serviceUrl: url, capture });
  return {
    wrap: (client) => tracer.wrapClient(client),
    finish: async () => {
      if (!(await tracer.flush(60_000)))
        throw new Error(`not all delivered: ${JSON.stringify(tracer.stats())}`);
    },
  };
}
