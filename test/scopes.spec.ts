import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningCollector, startCollector } from '@dacapo/collector';
import { type CreatedApiKey, type Scope } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { Tracer, type TracerError } from '@dacapo/tracer';
import { removeFolder } from './support/remove-folder.js';

let collector: RunningCollector;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'dacapo-scopes-'));
  collector = await startCollector({ port: 0, dataDir });
});

afterAll(async () => {
  await collector.close();
  await removeFolder(dataDir);
});

async function keyFor(...scopes: Scope[]): Promise<string> {
  const answer = await fetch(collector.url + API.apiKeys.list.path, {
    method: 'POST',
    headers: { 'api-key': collector.apiKey ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ name: scopes.join(), scopes }),
  });
  return ((await answer.json()) as CreatedApiKey).api_key;
}

async function tracerThatMay(...scopes: Scope[]): Promise<{ tracer: Tracer; errors: TracerError[] }> {
  const errors: TracerError[] = [];
  const tracer = new Tracer({
    apiKey: await keyFor(...scopes),
    serviceUrl: collector.url,
    delivery: { spool: false },
    logger: { warn: () => undefined },
    onError: (error) => errors.push(error),
  });
  return { tracer, errors };
}

describe('an application with a key of the scope', () => {
  it('ingest records, and learns which scope a replay needs', async () => {
    const { tracer, errors } = await tracerThatMay('ingest');
    const double = tracer.withSpan('double', (value: number) => 2 * value);
    double(2);
    await tracer.flush();
    expect(tracer.stats()).toMatchObject({ delivered: 1, waiting: 0 });
    expect(errors).toEqual([]);

    const replayed = tracer.replay('double', double);
    await expect(replayed).rejects.toMatchObject({ code: 'TRACER_SERVICE_RESPONSE', status: 403 });
    await expect(replayed).rejects.toThrow(
      'This key lacks the scope replay, which POST /api/v1/test-runs needs. It has ingest. Create one that has it, on the API keys ' +
        'page or with: dacapo keys create --name <name> --scope replay. Pass a key with this scope as apiKey (TRACER_API_KEY).',
    );
    await tracer.shutdown();
  });

  it('replay records and replays', async () => {
    const { tracer, errors } = await tracerThatMay('replay');
    const triple = tracer.withSpan('triple', (value: number) => 3 * value);
    triple(2);
    await tracer.flush();
    const run = await tracer.replay('triple', triple);
    expect(run.totals).toMatchObject({ items: 1, same: 1 });
    await tracer.shutdown();
    expect(errors).toEqual([]);
  });

  it('read keeps its records, and learns which scope sends them', async () => {
    const { tracer, errors } = await tracerThatMay('read');
    tracer.withSpan('halve', (value: number) => value / 2)(2);
    await tracer.flush(2_000);
    expect(tracer.stats()).toMatchObject({ delivered: 0, waiting: 1 });
    expect(errors.map(({ code }) => code)).toEqual(['TRACER_UNAUTHORIZED']);
    expect(errors[0]?.message).toMatch(
      /lacks the scope ingest.* Pass a key with the scope ingest as apiKey \(TRACER_API_KEY\)\.$/,
    );
    await tracer.shutdown(100);
  });
});
