import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS, newSpanId, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { startCollector } from '../src/start-collector.js';
import { span, unfinished } from './support/records.js';
import { Service, type Tenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const GPT = { model: 'gpt-4o', provider: 'openai', input_tokens: 1_000_000, output_tokens: 100_000 };
const TABLE = expect.stringMatching(/^genai-prices@\d+\.\d+\.\d+$/) as unknown;

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  const pricesFile = join(temporaryDirectory(), 'prices.json');
  const own = { version: '3', prices: [{ model: 'own-model', input_mtok: 2, output_mtok: 4 }] };
  writeFileSync(pricesFile, JSON.stringify(own));
  service = await Service.start({ pricesFile });
});

beforeEach(async () => {
  tenant = await service.addTenant();
});

afterAll(() => service.close());

const using = (usage: SpanRecord['span_data']['usage'], overrides: Partial<SpanRecord> = {}) =>
  span({ ...overrides, span_data: { input: ['question'], ...(usage && { usage }) } });

const readTrace = async ({ trace_id: id }: SpanRecord) =>
  (await tenant.get(routePath(API.traces.get, { id })).expect(200)).body;

describe('the cost of a model call', () => {
  it('is computed at ingest, with the source of the price', async () => {
    const stored = using(GPT);
    await tenant.store(stored);
    const usage = {
      model: 'gpt-4o',
      input_tokens: 1e6,
      output_tokens: 1e5,
      cost_usd: 3.5,
      price_version: TABLE,
    };
    const trace = await readTrace(stored);
    expect(trace.spans[0].usage).toEqual(usage);
    expect(trace.usage).toEqual({ model_calls: 1, input_tokens: 1e6, output_tokens: 1e5, cost_usd: 3.5 });
    const path = routePath(API.traces.getSpan, { id: stored.trace_id, span_id: stored.id });
    const { body } = await tenant.get(path).expect(200);
    expect(body).toMatchObject({ cost_usd: 3.5, price_version: TABLE, span_data: { usage: GPT } });
  });

  it('is the recorded cost, or computed by own prices for a model in them', async () => {
    const priced = using({ ...GPT, cost_usd: 0.25 });
    const own = using({ ...GPT, model: 'own-model' });
    await tenant.store(priced, own);
    expect((await readTrace(priced)).spans[0].usage).toMatchObject({
      cost_usd: 0.25,
      price_version: 'reported',
    });
    expect((await readTrace(own)).spans[0].usage).toMatchObject({ cost_usd: 2.4, price_version: 'own@3' });
  });

  it('is absent where the model has no price, never 0', async () => {
    const stored = using({ ...GPT, model: 'nobody-knows' });
    await tenant.store(stored);
    const trace = await readTrace(stored);
    expect(trace.spans[0].usage).toEqual({ model: 'nobody-knows', input_tokens: 1e6, output_tokens: 1e5 });
    expect(trace.usage).toEqual({ model_calls: 1, input_tokens: 1e6, output_tokens: 1e5, unpriced_calls: 1 });
  });

  it.each(['in two parts', 'in two parts, the second first', 'twice'])(
    'is stored once when it was sent %s',
    async (how) => {
      const whole = using(GPT);
      const rest = {
        ...whole,
        span_data: { usage: GPT, meta: { continues: true as const, replayable: false as const } },
      };
      const parts = how === 'twice' ? [whole, whole] : [unfinished(whole), rest];
      for (const part of how.endsWith('first') ? parts.toReversed() : parts) await tenant.store(part);
      expect((await readTrace(whole)).usage).toMatchObject({ model_calls: 1, cost_usd: 3.5 });
    },
  );

  it('is summed over a trace with each request counted once, with the number of calls without a price', async () => {
    const trace_id = newTraceId();
    const agent = span({ trace_id, type: 'agent', span_data: { usage: GPT } });
    const chat = using(GPT, { trace_id, parent_id: agent.id });
    const request = using(GPT, { trace_id, parent_id: chat.id });
    const other = using({ ...GPT, model: 'nobody-knows' }, { trace_id, parent_id: agent.id });
    const withoutUsage = using(undefined, { trace_id, parent_id: agent.id });
    await tenant.store(agent, chat, request, other, withoutUsage);
    const trace = await readTrace(agent);
    expect(trace.usage).toEqual({
      model_calls: 2,
      input_tokens: 2e6,
      output_tokens: 2e5,
      cost_usd: 3.5,
      unpriced_calls: 1,
    });
    const root = trace.spans.find(({ id }: SpanRecord) => id === agent.id);
    expect(root).not.toHaveProperty('usage');
  });
});

describe('POST costs', () => {
  const ask = (usages: unknown) => tenant.post(API.costs.compute.path, { usages });

  it('is computed by current prices, ignoring the recorded cost', async () => {
    const usages = [
      GPT,
      { ...GPT, cost_usd: 9 },
      { ...GPT, model: 'own-model' },
      { ...GPT, model: 'nobody-knows' },
      {},
    ];
    const { body } = await ask(usages).expect(200);
    expect(body.costs).toEqual([3.5, 3.5, 2.4, null, null]);
    expect(body.price_version).toMatch(/^own@3, genai-prices@/);
  });

  it.each([
    [{ input_tokens: -1 }, 'usages[0].input_tokens must be a number of at least 0, not -1'],
    [{ model: 7 }, 'usages[0].model must be a string, not 7'],
  ])('refuses %j', async (usage, detail) => {
    await ask([usage]).expect(400, { detail, status_code: 400 });
  });

  it('rejects more than the maximum', async () => {
    const { body } = await ask(Array.from({ length: LIMITS.pricedUsages + 1 }, () => ({}))).expect(400);
    expect(body.detail).toBe('usages must have at most 1000 entries, not 1001');
  });
});

describe('a file of prices', () => {
  it.each([
    ['that is not there', undefined, /^Option pricesFile cannot be read: .*ENOENT.*Write \{"prices"/],
    ['that is no JSON', '{', /^Option pricesFile is invalid: .*Write \{"prices"/],
    ['with a misspelt name', '{"price":[]}', /price is unknown. Known fields: version, prices\. Write/],
  ])('%s keeps the service from starting, and says what to write', async (_, text, message) => {
    const pricesFile = join(temporaryDirectory(), `${newSpanId()}.json`);
    if (text !== undefined) writeFileSync(pricesFile, text);
    await expect(startCollector({ port: 0, storage: 'memory', pricesFile })).rejects.toMatchObject({
      code: 'COLLECTOR_INVALID_OPTION',
      message: expect.stringMatching(message) as unknown,
    });
  });
});
