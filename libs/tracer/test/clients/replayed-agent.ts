import type { RunOptions } from '../../src/options/replay-options.js';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { startStoredSpansService } from '../service/stored-spans-service.js';
import { startSink } from './sink.js';

/** Makes an agent whose client asks at `url`. */
export type MakeAgent = (tracer: Tracer, url: string) => (question: string) => Promise<unknown>;

interface ReplayChanges extends Pick<RunOptions, 'network' | 'live' | 'timeoutMs'> {
  readonly changed?: MakeAgent;
  readonly replayedAt?: string;
}

/**
 * Records one call of an agent that asks at `url`, and plays it again, as it is or changed, where nothing listens but a sink;
 * or at `replayedAt`.
 */
export async function recordAndReplay(
  url: string,
  agent: MakeAgent,
  { changed = agent, replayedAt, ...options }: ReplayChanges = {},
) {
  const recorded = createTestTracer();
  await recorded.tracer
    .withSpan(
      'agent',
      agent(recorded.tracer, url),
    )('Weather?')
    .catch(() => undefined);
  const service = await startStoredSpansService(recorded.spans);
  const sink = await startSink();
  const { tracer, spans } = createTestTracer({ serviceUrl: service.url });
  try {
    const replayed = tracer.withSpan('agent', changed(tracer, replayedAt ?? sink.url));
    const run = await tracer.replay('agent', replayed, { mock: 'all', ...options });
    return { run, item: run.items[0]!, spans, recorded: recorded.spans, connections: sink.connections };
  } finally {
    await Promise.all([service.close(), sink.close()]);
  }
}

export async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
