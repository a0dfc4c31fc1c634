import { Client } from 'langsmith';
import { wrapOpenAI } from 'langsmith/wrappers';

export function wrapWith(url) {
  process.env.LANGSMITH_TRACING = 'true';
  const client = new Client({ apiUrl: url, apiKey: 'bench' });
  return {
    wrap: (openai) => wrapOpenAI(openai, { client }),
    finish: () => client.awaitPendingTraceBatches(),
  };
}
