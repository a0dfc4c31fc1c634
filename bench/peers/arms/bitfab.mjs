import { Bitfab, flushTraces } from 'bitfab';

export function createArm(url) {
  const client = new Bitfab({ apiKey: 'bench', serviceUrl: url });
  return { trace: (key, fn) => client.withSpan(key, fn), finish: () => flushTraces(60_000) };
}
