import { type Embedder, startCollector } from '@dacapo/collector';
import { type GetContextData } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { Embeddings } from '../src/indexes/embeddings/embeddings.js';
import { ManualClock } from './support/manual-clock.js';
import { Service, SILENT, type Tenant, createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

/** Words that mean the same have one number; a text is how often it says each. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle'],
  ['buy', 'purchase', 'acquire'],
  ['rain', 'shower', 'drizzle'],
];

class MadeUpEmbedder implements Embedder {
  name = 'made up';
  dimensions = MEANINGS.length + 1;
  readonly batches: string[][] = [];
  readonly queries: string[] = [];

  embed: Embedder['embed'] = (texts, { kind }) => {
    if (kind === 'query') this.queries.push(...texts);
    else this.batches.push([...texts]);
    return Promise.resolve(texts.map((text) => this.toVector(text)));
  };

  toVector(text: string): number[] {
    const words = text.toLowerCase().match(/\w+/g) ?? [];
    const counts = MEANINGS.map((meaning) => words.filter((word) => meaning.includes(word)).length);
    return [...counts, 0.01, ...Array<number>(8).fill(0)].slice(0, this.dimensions);
  }
}

const page = (source: string, content: string) => ({ source, content, content_type: 'text/markdown' });
const PAGES = [
  page('cars.md', '# Dealers\n\nWhere to buy an automobile.'),
  page('weather.md', '# Weather\n\nA shower is near.'),
  page('names.md', '# Names\n\nCall `openDealer()`.'),
];

describe('Indexes with an embedder', () => {
  let embedder: MadeUpEmbedder;
  let clock: ManualClock;
  let service: Service;
  let tenant: Tenant;
  let warnings: string[];

  const start = async (options: Partial<Embedder> = {}): Promise<void> => {
    const logger = { ...SILENT, warn: (message: string) => void warnings.push(message) };
    service = await Service.start({ clock, logger, indexes: { embedder: Object.assign(embedder, options) } });
    tenant = await service.addTenant();
  };
  const add = async (documents: object[], index_id?: string): Promise<string> => {
    const id =
      index_id ??
      (await tenant.post(API.indexes.create.path, { name: 'i', type: 'SDK' }).expect(201)).body.index_id;
    await tenant.post(routePath(API.indexes.addDocuments, { index_id: id }), { documents }).expect(200);
    return id;
  };
  const settled = () => service.app.get(Embeddings).settled();
  const ask = async (index_id: string, query: string): Promise<GetContextData> =>
    (await tenant.post(API.developer.getContext.path, { index_id, query }).expect(200)).body.data;
  /** Vectors of what was added before. */
  const embedded = async (index_id: string): Promise<void> => {
    await ask(index_id, '');
    await settled();
  };
  const sources = ({ results }: GetContextData): string[] => results.map(({ source }) => source);

  beforeEach(() => {
    embedder = new MadeUpEmbedder();
    clock = new ManualClock();
    warnings = [];
  });
  afterEach(() => service.close());

  it('find a passage that contains none of the words', async () => {
    await start();
    const id = await add(PAGES);
    await embedded(id);
    const found = await ask(id, 'purchase a vehicle');
    expect(sources(found)[0]).toBe('cars.md');
    expect(found.notes).toBeUndefined();
    expect(sources(await ask(id, 'drizzle'))[0]).toBe('weather.md');
    expect(sources(await ask(id, 'open dealer'))[0]).toBe('names.md');
  });

  it('embed each passage once, with its headings, in batches one after another', async () => {
    let open = 0;
    let most = 0;
    const { embed } = embedder;
    await start({
      batchSize: 2,
      embed: async (texts, context) => {
        most = Math.max(most, ++open);
        const vectors = await embed(texts, context);
        open--;
        return vectors;
      },
    });
    const [first, second] = await Promise.all([add(PAGES), add(PAGES)]);
    await Promise.all([embedded(first), embedded(second)]);
    await embedded(first);
    expect(embedder.batches.map(({ length }) => length)).toEqual(expect.arrayContaining([2, 1]));
    expect(embedder.batches.flat()).toHaveLength(6);
    expect(embedder.batches.flat()).toContain('Dealers\n\nWhere to buy an automobile.');
    expect(most).toBe(1);
  });

  it('embed only changed sections, and delete the vectors of removed ones', async () => {
    await start();
    const id = await add(PAGES);
    await embedded(id);
    await add([page('weather.md', '# Weather\n\nSunny.'), page('more.md', 'rain')], id);
    await embedded(id);
    expect(embedder.batches.flat().slice(3).sort()).toEqual(['Weather\n\nSunny.', 'more.md\n\nrain']);
    expect(sources(await ask(id, 'drizzle'))[0]).toBe('more.md');
  });

  it('fall back to words, and say so, when the embedder fails, which is then not called for a minute', async () => {
    const { embed } = embedder;
    let fails = true;
    let requests = 0;
    await start({
      embed: (texts, context) => {
        if (context.kind === 'passage') return embed(texts, context);
        requests++;
        if (fails) throw Object.assign(new Error('no such model'), { code: 'model_not_found' });
        return embed(texts, context);
      },
    });
    const id = await add(PAGES);
    await embedded(id);
    const found = await ask(id, 'automobile');
    expect(sources(found)).toEqual(['cars.md']);
    expect(found.notes).toEqual(['The embedder failed: passages were found only by their words.']);
    expect(warnings).toEqual([
      'The embedder made up failed: Error model_not_found. For a minute queries are answered only by words.',
    ]);
    expect((await ask(id, 'automobile')).notes).toEqual([
      'The embedder failed recently: passages were found only by their words.',
    ]);
    expect(requests).toBe(1);
    fails = false;
    clock.advance(61);
    expect((await ask(id, 'automobile')).notes).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  it('fall back to words when the embedder takes too long, and abort its call', async () => {
    let stopped: AbortSignal | undefined;
    await start({
      queryTimeoutMs: 20,
      embed: (_, { kind, signal }) => {
        if (kind === 'query') stopped = signal;
        return new Promise(() => undefined);
      },
    });
    const id = await add(PAGES);
    expect(sources(await ask(id, 'automobile'))).toEqual(['cars.md']);
    expect(stopped?.aborted).toBe(true);
    expect(warnings[0]).toContain('it did not answer within 0.02 s');
  });

  it('report how many passages have no vector, and embed them when the embedder works again', async () => {
    let fails = true;
    const { embed } = embedder;
    await start({
      batchSize: 1,
      embed: (texts, context) => {
        if (fails && context.kind === 'passage') throw new Error('busy');
        if (texts[0]?.includes('Dealers') === true) throw new Error('too long');
        return embed(texts, context);
      },
    });
    const id = await add(PAGES);
    await embedded(id);
    expect((await ask(id, 'shower')).notes).toEqual([
      `Passages of ${id} without a vector yet, found only by their words: 3.`,
    ]);
    fails = false;
    for (let minute = 0; minute < 3; minute++) {
      clock.advance(61);
      await embedded(id);
    }
    const found = await ask(id, 'drizzle');
    expect(sources(found)[0]).toBe('weather.md');
    expect(found.notes).toEqual([`Passages of ${id} without a vector yet, found only by their words: 1.`]);
  });

  it.each([
    [() => [[1, 0, 0, 0]], 'it returned 1 vectors for 3 texts'],
    [() => 'none' as never, 'it returned not an array but string for 3 texts'],
    [(texts: readonly string[]) => texts.map(() => [1, 2]), 'a vector of 2 numbers, but dimensions is 4'],
    [(texts: readonly string[]) => texts.map(() => [1, NaN, 0, 0]), 'a vector with invalid numbers'],
    [
      () => Promise.reject(Object.assign(new Error('slow down'), { status: 429 })),
      'failed: Error 429. For a minute passages wait for vectors.',
    ],
  ])('keep nothing of an answer that cannot be used (%#)', async (embed, problem) => {
    await start({ embed });
    await embedded(await add(PAGES));
    expect(warnings.join('\n')).toContain(problem);
  });

  it('abort the current call when the service closes', async () => {
    let signal: AbortSignal | undefined;
    let begun: () => void = () => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    await start({
      embed: (_, context) => {
        signal = context.signal;
        begun();
        return new Promise(() => undefined);
      },
    });
    await add(PAGES);
    await isBegun;
    await service.close();
    expect(signal?.aborted).toBe(true);
    expect(warnings).toEqual([]);
  });
});

describe('Vectors', () => {
  const run = async (dataDir: string, embedder: Embedder, apiKey?: string) => {
    const collector = await startCollector({ port: 0, dataDir, logger: SILENT, indexes: { embedder } });
    return { collector, tenant: createTenant(collector.url, '', apiKey ?? collector.apiKey ?? '') };
  };
  const drizzle = async (tenant: Tenant, index_id: string): Promise<GetContextData> =>
    (await tenant.post(API.developer.getContext.path, { index_id, query: 'drizzle' }).expect(200)).body.data;

  it('are kept, and made anew when the embedder has another name or other dimensions', async () => {
    const dataDir = temporaryDirectory();
    let embedder = new MadeUpEmbedder();
    const first = await run(dataDir, embedder);
    const { apiKey } = first.tenant;
    const { index_id } = (await first.tenant.post(API.indexes.create.path, { name: 'i', type: 'SDK' })).body;
    const documents = routePath(API.indexes.documents, { index_id });
    await first.tenant.post(documents, { documents: PAGES }).expect(200);
    while ((await drizzle(first.tenant, index_id)).notes !== undefined);
    await first.collector.close();
    expect(embedder.batches.flat()).toHaveLength(3);

    for (const [name, dimensions, made] of [
      ['made up', 4, 0],
      ['another', 4, 3],
      ['another', 9, 3],
    ] as const) {
      embedder = Object.assign(new MadeUpEmbedder(), { name, dimensions });
      const { collector, tenant } = await run(dataDir, embedder, apiKey);
      while ((await drizzle(tenant, index_id)).notes !== undefined);
      expect((await drizzle(tenant, index_id)).results[0]).toMatchObject({ source: 'weather.md' });
      await collector.close();
      expect(embedder.batches.flat()).toHaveLength(made);
    }
  });
});

describe('The option indexes.embedder', () => {
  it.each([
    [{ name: ' ' }, 'indexes.embedder.name must be a text of 1 to 200 characters'],
    [{ embed: undefined }, 'indexes.embedder.embed must be a function'],
    [{ dimensions: 0 }, 'indexes.embedder.dimensions must be a whole number from 1 to 8192, not 0'],
    [{ batchSize: 1.5 }, 'indexes.embedder.batchSize must be a whole number from 1 to 2048, not 1.5'],
    [{ timeoutMs: -1 }, 'indexes.embedder.timeoutMs must be a whole number from 1 to 600000, not -1'],
    [{ queryTimeoutMs: NaN }, 'indexes.embedder.queryTimeoutMs must be a whole number from 1 to 60000'],
  ])('is refused with what is wrong (%#)', async (wrong, message) => {
    const embedder = Object.assign(new MadeUpEmbedder(), wrong);
    await expect(startCollector({ port: 0, storage: 'memory', indexes: { embedder } })).rejects.toMatchObject(
      { code: 'COLLECTOR_INVALID_OPTION', message: expect.stringContaining(message) },
    );
  });
});
