import { Client } from 'langsmith';
import { traceable } from 'langsmith/traceable';

export function createArm(url) {
  process.env.LANGSMITH_TRACING = 'true';
  const client = new Client({ apiUrl: url, apiKey: 'bench' });
  return {
    trace: (key, fn) => traceable(fn, { name: key, client }),
    finish: () => client.awaitPendingTraceBatches(),
  };
}
