import { LIMITS, newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { ndjson, score, span } from './support/records.js';
import { runService, type Tenant } from './support/service.js';

let tenant: Tenant;

runService((_, account) => {
  tenant = account;
}, 'each test');

const listScores = async (query = '') =>
  (await tenant.get(`${API.scores.list.path}?${query}`).expect(200)).body;

describe('POST scores', () => {
  it('accepts each one separately, and reports the errors of the others', async () => {
    const good = score();
    const bad = score({ author: { kind: 'person', name: ' ' } });
    const { body } = await tenant.post(API.scores.add.path, { scores: [bad, good, 7] }).expect(200);
    expect(body).toEqual({
      accepted: 1,
      rejected: [
        { index: 0, detail: 'score.author.name must not be blank' },
        { index: 2, detail: 'score must be an object, not 7' },
      ],
    });
    expect(await listScores()).toEqual({ items: [good] });
  });

  it('stores one that is sent twice once', async () => {
    const scores = [score()];
    await tenant.post(API.scores.add.path, { scores }).expect(200);
    await tenant.post(API.scores.add.path, { scores }).expect(200, { accepted: 1, rejected: [] });
    expect((await listScores('history=true')).items).toHaveLength(1);
  });

  it('adds id and time to a score without them', async () => {
    const { name, value, author, trace_id } = score();
    const rest = { name, value, author, trace_id };
    await tenant.post(API.scores.add.path, { scores: [rest] }).expect(200);
    expect((await listScores()).items).toEqual([
      { ...rest, id: expect.any(String), created_at: expect.stringMatching(/Z$/) },
    ]);
  });

  it('rejects scores over the limit, and a body that is not a list', async () => {
    const scores = Array.from({ length: LIMITS.scores + 1 }, () => score());
    const { body } = await tenant.post(API.scores.add.path, { scores }).expect(200);
    expect(body).toEqual({
      accepted: LIMITS.scores,
      rejected: [{ index: LIMITS.scores, detail: 'scores may be 1000 in one request' }],
    });
    const detail = 'scores must be an array, not absent';
    await tenant.post(API.scores.add.path, {}).expect(400, { detail, status_code: 400 });
  });
});

describe('an ingest body with scores', () => {
  it('stores them with spans, and rejects only a bad line', async () => {
    const stored = span();
    const good = score({ trace_id: stored.trace_id });
    const bad = { ...good, id: newTraceId(), value: {} };
    const { body } = await tenant.ingest(
      `${JSON.stringify({ score: bad })}\n${ndjson([{ span: stored }, { score: good }])}`,
    );
    expect(body).toEqual({
      accepted: 2,
      rejected: [
        {
          line: 1,
          id: bad.id,
          detail: 'line 1: score.value must be a number, true, false, a string or null',
        },
      ],
    });
    expect((await listScores()).items).toEqual([good]);
  });
});

describe('GET scores', () => {
  it('requires the target that a part belongs to', async () => {
    for (const [query, detail] of [
      ['span_id=0123456789abcdef', 'span_id requires trace_id'],
      ['item_no=1', 'item_no requires test_run_id'],
    ]) {
      await tenant.get(`${API.scores.list.path}?${query}`).expect(400, { detail, status_code: 400 });
    }
  });

  it('lists page by page', async () => {
    const scores = [score(), score(), score()];
    await tenant.post(API.scores.add.path, { scores }).expect(200);
    const first = await listScores('limit=2');
    expect(first.items).toHaveLength(2);
    const rest = await listScores(`limit=2&cursor=${first.next_cursor}`);
    expect([...first.items, ...rest.items].map(({ id }) => id).sort()).toEqual(
      scores.map(({ id }) => id).sort(),
    );
    expect(rest).not.toHaveProperty('next_cursor');
  });
});

describe('the scores returned', () => {
  it('carries the scores of a trace and of a span', async () => {
    const stored = span();
    await tenant.store(stored);
    const of = { trace_id: stored.trace_id };
    const [whole, part] = [score(of), score({ ...of, span_id: stored.id, value: 0 })];
    await tenant.post(API.scores.add.path, { scores: [whole, part] }).expect(200);
    const trace = await tenant.get(routePath(API.traces.get, { id: stored.trace_id })).expect(200);
    expect(trace.body.scores).toEqual(expect.arrayContaining([whole, part]));
    const path = routePath(API.traces.getSpan, { id: stored.trace_id, span_id: stored.id });
    expect((await tenant.get(path).expect(200)).body).toEqual({ ...stored, scores: [part] });
  });

  it('is filtered by a score, of traces and of sessions', async () => {
    const [low, high, none] = [span(), span(), span()];
    const sessions = [low, high, none].map(({ trace_id: id }) => ({ trace: { id, session_id: id } }));
    await tenant.ingest(ndjson([{ span: low }, { span: high }, { span: none }, ...sessions])).expect(200);
    const scores = [
      score({ trace_id: low.trace_id, value: 0.2 }),
      score({ trace_id: high.trace_id, value: 0.9 }),
      ...[low, high].map(({ trace_id: session_id }, value) => score({ session_id, value })),
    ];
    await tenant.post(API.scores.add.path, { scores }).expect(200, { accepted: 4, rejected: [] });
    const ids = async (path: string, query: string) =>
      (await tenant.get(`${path}?score=helpful${query}`).expect(200)).body.items.map(
        ({ id, session_id }: { id?: string; session_id: string }) => id ?? session_id,
      );
    expect(await ids(API.traces.list.path, '&score_below=0.5')).toEqual([low.trace_id]);
    expect(await ids(API.traces.list.path, '&score_above=0.5')).toEqual([high.trace_id]);
    expect(await ids(API.traces.listSessions.path, '&score_above=0.5')).toEqual([high.trace_id]);
    expect(await ids(API.traces.list.path, '')).toHaveLength(2);
  });

  it.each([
    ['score_below=1', 'score must name the score: add score=<its name>'],
    ['score=a&score_below=low', 'score_below must be a number, not "low"'],
    ['score=a&score_above=', 'score_above must be a number, not ""'],
  ])('is not filtered by %s', async (query, detail) => {
    await tenant.get(`${API.traces.list.path}?${query}`).expect(400, { detail, status_code: 400 });
  });
});
