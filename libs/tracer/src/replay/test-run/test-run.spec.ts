import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { RecordedCallTree } from '@dacapo/protocol';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import type { Answer } from '../../../test/service/loopback-service.js';
import {
  runRecord,
  startStoredSpansService,
  type StoredSpansService,
} from '../../../test/service/stored-spans-service.js';
import type { DeliveryOptions } from '../../options/delivery-options.js';
import { createTestTracer, type TestTracer } from '../../testing.js';
import type { ReplayItem } from '../../replay-types.js';

const DOWN = { status: 503, body: { detail: 'down', status_code: 503 } };
/** Timeout of runs whose service stays away. What it does answer takes a small part of it, even on a busy machine. */
const AWAY_MS = 1_000;

describe('a test run', () => {
  let service: StoredSpansService;
  let stored: RecordedCallTree[];
  let test: TestTracer;
  let instead: Answer;
  let spoolDir: string;
  let errors: string[];

  const store = (count: number): void => {
    stored = Array.from({ length: count }, (_, n) => ({
      trace_id: newTraceId(),
      span_id: newSpanId(),
      name: 'desk',
      type: 'llm',
      status: 'ok',
      started_at: '2026-01-31T12:00:00.000000Z',
      input: [n],
      output: n,
    }));
  };
  const echo = (n: number): number => n;
  const reportedNos = (): number[] => service.reports.map(({ item_no }) => item_no).sort((a, b) => a - b);
  const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

  const pathsOfReports = (): string[] =>
    readdirSync(spoolDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.reports.ndjson'),
    );
  const reportFiles = (): string[] => pathsOfReports().map((path) => basename(path));

  beforeEach(async () => {
    instead = () => undefined;
    errors = [];
    spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-runs-'));
    service = await startStoredSpansService(() => stored, { instead: (call) => instead(call) });
    test = createTestTracer({
      serviceUrl: service.url,
      delivery: { spoolDir },
      logger: { warn: () => undefined },
      onError: ({ code }) => errors.push(code),
    });
  });

  afterEach(async () => {
    await service.close();
    rmSync(spoolDir, { recursive: true });
  });

  /** Ends the outage once what was sent during it has arrived: the tracer may have given up a request that is on its way. */
  async function returnService(): Promise<void> {
    await fetch(service.url);
    instead = () => undefined;
  }

  it('reports its items in batches while further ones are replayed', async () => {
    store(200);
    const heard: number[] = [];
    const fn = async (n: number): Promise<number> => {
      // The last one waits until the first are reported.
      while (n === 199 && service.reports.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      heard.push(n);
      return n;
    };
    const { totals, status } = await test.tracer.replay('desk', fn, { maxConcurrency: 50 });
    expect([totals.items, totals.same, status]).toEqual([200, 200, 'finished']);
    expect(reportedNos()).toEqual(numbersTo(200));
    const reports = service.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/items'));
    expect(reports.length).toBeLessThan(100);
    expect(service.finished).toMatchObject([{ status: 'finished' }]);
  });

  it('continues while the service is away, and reports everything when it is back', async () => {
    store(120);
    let refusals = 0;
    let ended = 0;
    instead = ({ path }) => {
      const isAway = ended > 20 && ended < 100 && refusals < 4;
      if (!isAway || path.includes('/finish')) return undefined;
      refusals++;
      return DOWN;
    };
    const { totals, status, warnings } = await test.tracer.replay('desk', (n: number) => {
      ended++;
      return n;
    });
    expect(refusals).toBeGreaterThan(0);
    expect([totals.items, totals.missing, status, warnings]).toEqual([120, 0, 'finished', []]);
    expect(reportedNos()).toEqual(numbersTo(120));
  });

  it('returns what was replayed when further calls cannot be fetched, with the number missing', async () => {
    store(60);
    instead = ({ path }) => (path.includes('cursor=') ? DOWN : undefined);
    const run = await test.tracer.replay('desk', echo, { timeoutMs: AWAY_MS });
    expect(run).toMatchObject({ status: 'interrupted', totals: { items: 50, same: 50, missing: 10 } });
    expect(run.warnings).toEqual([expect.stringContaining('10 of the selected calls were not replayed')]);
    expect(reportedNos()).toEqual(numbersTo(50));
    expect(service.finished).toMatchObject([{ status: 'interrupted' }]);
    expect(
      await test.tracer.replay('desk', echo, { timeoutMs: AWAY_MS, gate: { changed: 0 } }),
    ).toMatchObject({
      passed: false,
      failures: ['10 selected items are missing from the run.'],
    });
  });

  it('throws when no call can be had at all', async () => {
    store(1);
    instead = ({ path }) => (path.includes('/calls?') ? DOWN : undefined);
    await expect(test.tracer.replay('desk', echo, { timeoutMs: AWAY_MS })).rejects.toMatchObject({
      code: 'TRACER_SERVICE_RESPONSE',
    });
  });

  const PAGE = '<h1>Sign in</h1>';
  it.each<[string, { status?: number; body: unknown }]>([
    ['nothing', { status: 204, body: undefined }],
    ['a page', { body: PAGE }],
    ['an object of its own', { body: {} }],
    ['lists of another kind', { body: { accepted: 0, rejected: 'none', items: 'none' } }],
    ['the word that nothing was taken', { body: { accepted: 0, rejected: [], items: 7 } }],
  ])('believes no answer that is none of the service: %s', async (_, foreign) => {
    store(3);
    const requested = { items: 0, calls: 0 };
    instead = ({ method, path }) => {
      if (path.includes('/calls?')) return requested.calls++ === 0 ? foreign : undefined;
      return method === 'POST' && path.endsWith('/items') && requested.items++ === 0 ? foreign : undefined;
    };
    const run = await test.tracer.replay('desk', echo);
    expect(requested).toEqual({ items: 2, calls: 2 });
    expect(run).toMatchObject({ status: 'finished', warnings: [], totals: { items: 3, missing: 0 } });
    expect(reportedNos()).toEqual([0, 1, 2]);
  });

  it.each([
    ['nothing', { status: 204, body: undefined }],
    ['a page', { body: PAGE }],
    ['a run without its selection', { body: { id: 'run-1', url: 'u' } }],
  ])('says what answered in place of the service when it should begin: %s', async (_, foreign) => {
    store(1);
    instead = ({ path }) => (path.includes('/test-runs') ? foreign : undefined);
    await expect(test.tracer.replay('desk', echo)).rejects.toMatchObject({
      code: 'TRACER_SERVICE_RESPONSE',
      message: expect.stringMatching(/not the answer of a Dacapo service|no readable answer/),
    });
  });

  it('has its result, and reports it, when something else answers its end', async () => {
    store(1);
    instead = ({ path }) => (path.includes('/finish') ? { body: {} } : undefined);
    const run = await test.tracer.replay('desk', echo, { timeoutMs: AWAY_MS });
    expect(run).toMatchObject({ totals: { items: 1, same: 1 } });
    expect(errors).toContain('TRACER_SERVICE_RESPONSE');
  });

  describe('that kept its gate by its own count', () => {
    const gate = { changed: 0, errors: 0 };
    const counts = { same: 3, changed: 0, unknown: 0, error: 0, diverged: 0, items: 3 };
    const finishes = (answer: object): Answer => {
      return ({ path, body }) =>
        path.endsWith('/finish')
          ? {
              body: {
                ...runRecord('run-1', { status: 'finished' }),
                summary: (body as { summary: object }).summary,
                ...answer,
              },
            }
          : undefined;
    };
    const totals = (changes: object): Answer => {
      return ({ path }) =>
        path.endsWith('/test-runs/run-1')
          ? { body: runRecord('run-1', {}, { ...counts, ...changes }) }
          : undefined;
    };

    it.each<[string, Answer, string]>([
      [
        'counts a changed item',
        totals({ same: 2, changed: 1 }),
        "The stored results fail the gate: of 3 items, 1 changed. Look at them on the run's page.",
      ],
      [
        'has fewer items',
        totals({ items: 2, same: 2 }),
        "The stored results fail the gate: of 2 items, 1 missing. Look at them on the run's page.",
      ],
      [
        'leaves it undecided at its end',
        finishes({ undecided: true }),
        'The service left the run undecided. Open its page.',
      ],
      [
        'was told of another end',
        finishes({ passed: false }),
        'The service has another decision for this run, failed: another client finished it. Open its page.',
      ],
      [
        'has no decision of it',
        finishes({}),
        'The service has another decision for this run, none: another client finished it. Open its page.',
      ],
    ])('has not passed where the service %s', async (_, answer, failure) => {
      store(3);
      instead = answer;
      const run = await test.tracer.replay('desk', echo, { gate });
      expect(run).toMatchObject({ status: 'finished', passed: false, failures: [failure] });
      expect(run.toMarkdown()).toMatch(/^## Failed/);
      expect(run.toJUnit()).toContain('<failure message=');
      const [reported] = service.finished;
      if (reported !== undefined)
        expect(reported.summary).toMatchObject({ passed: false, failures: [failure] });
    });

    it('is interrupted when its end cannot be reported, and can be resumed', async () => {
      store(3);
      instead = ({ path }) => (path.endsWith('/finish') ? DOWN : undefined);
      const run = await test.tracer.replay('desk', echo, { gate, timeoutMs: 1_500 });
      const sentence = expect.stringContaining(
        'The end of the run could not be reported, so the service shows the run as interrupted',
      );
      expect(run).toMatchObject({
        status: 'interrupted',
        passed: false,
        totals: { same: 3, missing: 0 },
        failures: [sentence],
        warnings: [sentence],
      });
      await returnService();
      const resumed = await test.tracer.replay('desk', echo, { gate, resume: run.testRunId });
      expect(resumed).toMatchObject({ status: 'finished', passed: true, warnings: [] });
    });

    it('has passed where the service counts the same', async () => {
      store(3);
      instead = totals({});
      expect(await test.tracer.replay('desk', echo, { gate })).toMatchObject({
        passed: true,
        failures: [],
        warnings: [],
      });
    });
  });

  it('reports when the service counts differently, also without a gate', async () => {
    store(3);
    const totals = { items: 3, same: 2, changed: 1, unknown: 0, error: 0 };
    instead = ({ path }) =>
      path.endsWith('/test-runs/run-1') ? { body: runRecord('run-1', {}, totals) } : undefined;
    const run = await test.tracer.replay('desk', echo);
    expect(run.warnings).toEqual([
      'The service counts 2 same, 1 changed, and this run counted 3 same: its page shows which items.',
    ]);
    expect(run).not.toHaveProperty('passed');
  });

  it('keeps its items, and writes unsent reports to a file, when the service stays away', async () => {
    store(3);
    instead = ({ method, path }) => (method === 'POST' && /items|finish/.test(path) ? DOWN : undefined);
    const run = await test.tracer.replay('desk', echo, { timeoutMs: AWAY_MS });
    expect(run.items.map(({ result }) => result)).toEqual([0, 1, 2]);
    expect(run).toMatchObject({ status: 'interrupted', totals: { items: 3, missing: 0, unstored: 3 } });
    expect(run.warnings).toEqual([expect.stringContaining('could not receive 3 items')]);
    expect(reportFiles()).toEqual([expect.stringMatching(/^run-1\.[0-9a-f]{16}\.reports\.ndjson$/)]);
    expect(errors).toContain('TRACER_SERVICE_RESPONSE');

    await returnService();
    const replayed: number[] = [];
    const resumed = await test.tracer.replay('desk', (n: number) => replayed.push(n), {
      resume: run.testRunId,
    });
    expect(replayed).toEqual([]);
    expect(reportedNos()).toEqual([0, 1, 2]);
    expect(resumed.status).toBe('finished');
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  describe('whose reports wait in a file', () => {
    /** The run, and a tracer that may go on with it. */
    async function leaveReports(): Promise<string> {
      store(3);
      instead = ({ method, path }) => (method === 'POST' && /items|finish/.test(path) ? DOWN : undefined);
      const { testRunId } = await test.tracer.replay('desk', echo, { timeoutMs: AWAY_MS });
      await returnService();
      return testRunId;
    }
    const goOn = async (
      resume: string,
      apiKey: string,
      delivery: DeliveryOptions = {},
    ): Promise<number[]> => {
      const replayed: number[] = [];
      const { tracer } = createTestTracer({
        apiKey,
        serviceUrl: service.url,
        delivery: { spoolDir, ...delivery },
        logger: { warn: () => undefined },
      });
      await tracer.replay('desk', (n: number) => replayed.push(n), { resume });
      return replayed;
    };

    it('sends them only under its own key; under another it replays its items again', async () => {
      const run = await leaveReports();
      expect(await goOn(run, 'another key')).toHaveLength(3);
      expect(reportFiles()).toHaveLength(1);
    });

    it('sends them under a key that replaced its own, named in `previousKeys`', async () => {
      const run = await leaveReports();
      expect(await goOn(run, 'another key', { previousKeys: ['in-memory'] })).toEqual([]);
      expect(reportedNos()).toEqual([0, 1, 2]);
      expect(reportFiles()).toEqual([]);
    });

    it('continues after the last complete one: an unfinished item is replayed again', async () => {
      const run = await leaveReports();
      const path = join(spoolDir, pathsOfReports()[0]!);
      truncateSync(path, statSync(path).size - 10);
      expect(await goOn(run, 'in-memory')).toHaveLength(1);
      expect(reportedNos()).toEqual([0, 1, 2]);
    });

    it('keeps them in memory when no file can be written', async () => {
      store(3);
      const file = join(spoolDir, 'file');
      writeFileSync(file, '');
      const { tracer } = createTestTracer({
        serviceUrl: service.url,
        delivery: { spoolDir: file },
        logger: { warn: () => undefined },
      });
      instead = ({ method, path }) => (method === 'POST' && /items|finish/.test(path) ? DOWN : undefined);
      const run = await tracer.replay('desk', echo, { timeoutMs: AWAY_MS });
      expect(run).toMatchObject({
        status: 'interrupted',
        totals: { items: 3, same: 3, missing: 0, unstored: 3 },
      });
    });
  });

  it.each([401, 403, 404])(
    'keeps its results when the service answers %d, and does not wait',
    async (status) => {
      store(3);
      instead = ({ method, path }) =>
        method === 'POST' && path.endsWith('/items')
          ? { status, body: { detail: 'no', status_code: status } }
          : undefined;
      const run = await test.tracer.replay('desk', echo, { timeoutMs: 60_000 });
      expect(run).toMatchObject({ status: 'interrupted', totals: { items: 3, missing: 0, unstored: 3 } });
      expect(reportFiles()).toHaveLength(1);
    },
  );

  it('reports no more items once it is finished elsewhere', async () => {
    store(3);
    let requests = 0;
    instead = ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/items')) return undefined;
      requests++;
      return { status: 409, body: { detail: 'Test run run-1 is finished', status_code: 409 } };
    };
    const run = await test.tracer.replay('desk', echo);
    expect(run.warnings).toEqual([
      expect.stringContaining('refused 3 items: item 0: Test run run-1 is finished'),
    ]);
    expect(requests).toBeLessThanOrEqual(3);
    expect(reportFiles()).toEqual([]);
  });

  it('drops an item that the service rejects, and reports it; its neighbours are stored', async () => {
    store(5);
    const taken: number[] = [];
    instead = ({ method, path, body }) => {
      if (method !== 'POST' || !path.endsWith('/items')) return undefined;
      const items = (body as { items: { item_no: number }[] }).items.map(({ item_no }) => item_no);
      taken.push(...items.filter((no) => no !== 3));
      const index = items.indexOf(3);
      const rejected = index === -1 ? [] : [{ index, item_no: 3, detail: 'too odd' }];
      return { body: { accepted: items.length - rejected.length, rejected } };
    };
    const run = await test.tracer.replay('desk', echo);
    expect(taken.sort()).toEqual([0, 1, 2, 4]);
    expect(run.warnings).toEqual(['The service refused 1 items: item 3: too odd']);
    expect(run.totals).toMatchObject({ items: 5, missing: 0, unstored: 1 });
    expect(service.finished).toMatchObject([{ status: 'finished', skipped: { refused: 1 } }]);
  });

  it('loses no neighbour of an item for which the whole report is refused', async () => {
    store(5);
    instead = ({ method, path, body }) => {
      if (method !== 'POST' || !path.endsWith('/items')) return undefined;
      const { items } = body as { items: { item_no: number }[] };
      return items.some(({ item_no }) => item_no === 3)
        ? { status: 400, body: { detail: 'items[0] is bad', status_code: 400 } }
        : undefined;
    };
    const run = await test.tracer.replay('desk', echo);
    expect(reportedNos()).toEqual([0, 1, 2, 4]);
    expect(run.warnings).toEqual(['The service refused 1 items: item 3: items[0] is bad']);
  });

  it('ends early on its signal: running items end, and the rest can be resumed', async () => {
    store(30);
    const abort = new AbortController();
    const fn = async (n: number): Promise<number> => {
      if (n === 4) abort.abort();
      return Promise.resolve(n);
    };
    const run = await test.tracer.replay('desk', fn, { signal: abort.signal, maxConcurrency: 5 });
    expect(run.status).toBe('interrupted');
    expect(run.totals.items).toBeLessThan(30);
    expect(run.totals.items + run.totals.missing).toBe(30);
    expect(reportedNos()).toEqual(run.items.map(({ itemNo }) => itemNo));
    expect(service.finished).toMatchObject([{ status: 'interrupted' }]);
    expect(run.warnings).toEqual([expect.stringContaining('the signal ended the run')]);

    await test.tracer.replay('desk', echo, { resume: run.testRunId });
    expect(reportedNos()).toEqual(numbersTo(30));
  });

  it('sends the options of its selection, and reports what it skipped', async () => {
    store(1);
    await test.tracer.replay('desk', echo, {
      limit: 5,
      since: '2026-01-01',
      until: new Date('2026-02-01T00:00:00Z'),
      sessionId: 's',
      status: 'ok',
      classes: ['Cheap'],
      exceptClasses: ['Dear'],
      metadata: { tenant: 'ann' },
      spanName: 'Desk.answer',
      type: 'llm',
      model: 'gpt',
      text: 'refund',
      minDurationMs: 1,
      maxDurationMs: 2,
      minTokens: 3,
      maxTokens: 4,
      minCostUsd: 0.5,
      maxCostUsd: 0.6,
      score: 'kind',
      scoreIs: true,
      scoreBelow: 2,
      scoreAbove: -1,
      everyCall: true,
      sample: { size: 3, by: 'errors', seed: 7 },
    });
    expect(service.created).toEqual([
      {
        trace_function_key: 'desk',
        selection: {
          limit: 5,
          since: '2026-01-01T00:00:00.000Z',
          until: '2026-02-01T00:00:00.000Z',
          session_id: 's',
          status: 'ok',
          classes: ['Cheap'],
          except_classes: ['Dear'],
          metadata: { tenant: 'ann' },
          name: 'Desk.answer',
          type: 'llm',
          model: 'gpt',
          text: 'refund',
          min_duration_ms: 1,
          max_duration_ms: 2,
          min_tokens: 3,
          max_tokens: 4,
          min_cost_usd: 0.5,
          max_cost_usd: 0.6,
          score: 'kind',
          score_is: true,
          score_below: 2,
          score_above: -1,
          every_call: true,
          sample: { size: 3, by: 'errors', seed: 7 },
        },
      },
    ]);
    instead = ({ method, path }) =>
      method === 'POST' && path === '/api/v1/test-runs'
        ? {
            body: runRecord('run-1', {
              selection: {
                request: {},
                items: 0,
                missing: 0,
                skipped: { not_first: 9 },
                unknown_key: true,
                similar_key: 'desk',
              },
            }),
          }
        : undefined;
    instead = ((before) => (call) =>
      call.path.includes('/calls?') ? { body: { items: [] } } : before(call))(instead);
    const run = await test.tracer.replay('dezk', echo, { gate: {} });
    expect(run.totals).toMatchObject({ items: 0, skipped: { not_first: 9 } });
    expect(run.warnings).toEqual([
      expect.stringContaining('no call with the key "dezk". Did you mean "desk"?'),
    ]);
    expect(run.passed).toBe(false);
  });

  it('does not use an erased accepted outcome, although the recorded outcome is there', async () => {
    store(1);
    const [call] = stored;
    const baseline = { meta: { output: { replayable: false } }, accepted: true };
    const items = [{ item_no: 0, trace_id: call!.trace_id, call, baseline }];
    instead = ({ path }) => (path.includes('/calls?') ? { body: { items } } : undefined);
    const run = await test.tracer.replay('desk', echo, { baseline: 'accepted', gate: { changed: 0 } });
    expect(run).toMatchObject({ passed: false, totals: { items: 1, same: 0, unknown: 1 } });
  });

  it('reports what is needed to find and resume it before the first call', async () => {
    store(3);
    const reported: unknown[] = [];
    const { testRunId, testRunUrl } = await test.tracer.replay('desk', echo, {
      onStart: (run) => reported.push(run),
      onItem: ({ itemNo }) => reported.push(itemNo),
      maxConcurrency: 1,
    });
    expect(reported).toEqual([{ testRunId, testRunUrl, items: 3, calls: 3, replayedBefore: 0 }, 0, 1, 2]);
  });

  it.each([
    ['all', [0, 1, 2]],
    ['failed', [1]],
    ['none', []],
  ] as const)('keeps the items that are asked for: %s; each is told as it ends', async (keep, kept) => {
    store(3);
    const reported: ReplayItem[] = [];
    const fn = (n: number): number => (n === 1 ? -1 : n);
    const run = await test.tracer.replay('desk', fn, { keep, onItem: (item) => reported.push(item) });
    expect(run.items.map(({ itemNo }) => itemNo)).toEqual(kept);
    expect(reported).toHaveLength(3);
    expect(run.totals).toMatchObject({ items: 3, same: 2, changed: 1 });
  });
});
