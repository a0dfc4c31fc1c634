import { LIMITS } from '../limits.js';
import { parseIngestLine } from '../parsing/parse-ingest-line.js';
import { readPatchFacts, readSpanFacts, TraceFacts } from './trace-facts.js';

const SPAN = {
  id: '0123456789abcdef',
  trace_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  trace_function_key: 'answer',
  name: 'answer',
  type: 'llm',
  status: 'ok',
  started_at: '2026-01-31T12:00:00.000000Z',
  span_data: {},
};

const line = (more: object): ReturnType<typeof parseIngestLine> =>
  parseIngestLine({ number: 1, text: JSON.stringify({ span: { ...SPAN, ...more } }) });

describe('the fields of a record', () => {
  it('are parsed, and stay absent from a record without them', () => {
    const fields = {
      user_id: 'ann@example.com',
      tags: ['beta', '退款'],
      environment: 'staging',
      release: '1.0',
    };
    expect(line({ ...fields, kind: 'tool', level: 'warn' })).toMatchObject({
      span: { ...fields, kind: 'tool', level: 'warn' },
    });
    expect(line({})).toEqual({ span: SPAN });
  });

  it('drop an unknown kind or level, and keep the span of a newer tracer', () => {
    expect(line({ kind: 'planner', level: 7, planet: 'mars' })).toEqual({ span: SPAN });
  });

  it.each([
    ['tags', 'beta'],
    ['tags', ['beta', 7]],
    ['tags', [' ']],
    ['tags', ['x'.repeat(LIMITS.tagLength + 1)]],
    ['tags', Array.from({ length: LIMITS.tags + 1 }, (_, index) => `t${index}`)],
    ['user_id', ''],
    ['user_id', 'x'.repeat(LIMITS.labelLength + 1)],
    ['environment', {}],
    ['release', 7],
  ])('are rejected with the name of the invalid field: %s', (name, value) => {
    expect(line({ [name]: value })).toMatchObject({
      rejection: { detail: expect.stringContaining(name) as string },
    });
  });

  it('accept names of Object.prototype members', () => {
    const tags = ['__proto__', 'constructor', 'toString'];
    expect(line({ tags, user_id: '__proto__' })).toMatchObject({ span: { tags, user_id: '__proto__' } });
  });
});

describe('tags of a trace', () => {
  const { id, trace_id } = SPAN;
  const first = { ...SPAN, id, trace_id, tags: ['b', 'a'] } as never;
  const patch = { id: trace_id, tags: ['c', 'a'], user_id: 'ann' };

  it('are collected from all records in any order, up to the limit', () => {
    const [left, right] = [new TraceFacts(), new TraceFacts()];
    left.add(readSpanFacts(first));
    left.add(readPatchFacts(patch, SPAN.started_at));
    right.add(readPatchFacts(patch, SPAN.started_at));
    right.add(readSpanFacts(first));
    expect(left.toRecord(trace_id)).toEqual({ id: trace_id, user_id: 'ann', tags: ['a', 'b', 'c'] });
    expect(right.toRecord(trace_id)).toEqual(left.toRecord(trace_id));
    const many = Array.from({ length: 200 }, (_, index) => `t${index}`);
    right.add(readPatchFacts({ id: trace_id, tags: many }, SPAN.started_at));
    expect(right.toRecord(trace_id).tags).toHaveLength(LIMITS.tags);
  });
});
