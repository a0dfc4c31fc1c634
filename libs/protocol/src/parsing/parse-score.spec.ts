import { newSpanId, newTraceId } from '../ids/ids.js';
import type { ScoreRecord } from '../records/score.js';
import { parseIngestLine } from './parse-ingest-line.js';

const trace_id = newTraceId();

function score(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: '018f0000-0000-7000-8000-000000000001',
    name: 'helpful',
    value: 0.5,
    author: { kind: 'person', name: 'ann@example.com' },
    created_at: '2026-01-31T12:00:00.000000Z',
    trace_id,
    ...changes,
  };
}

const parse = (record: unknown): ReturnType<typeof parseIngestLine> =>
  parseIngestLine({ number: 7, text: JSON.stringify({ score: record }) });

const RUN = { trace_id: undefined, test_run_id: newTraceId(), item_no: 0 };

describe('a line with a score', () => {
  it('is rejected if its value exceeds a double', () => {
    const text = JSON.stringify({ score: score({ value: 7 }) }).replace('"value":7', '"value":1e999');
    expect(parseIngestLine({ number: 1, text })).toMatchObject({
      rejection: { detail: 'line 1: score.value must be a finite number' },
    });
  });

  it('keeps all fields and adds none', () => {
    const whole: ScoreRecord = {
      id: newTraceId(),
      name: 'helpful',
      value: null,
      label: 'n/a',
      explanation: '',
      metadata: { a: [1] },
      author: { kind: 'evaluator', name: 'judge' },
      created_at: '2026-01-31T12:00:00.000000Z',
      trace_id,
      span_id: newSpanId(),
    };
    expect(parse({ ...whole, later: 1 })).toEqual({ score: whole });
    expect(parse(score())).toEqual({ score: score() });
  });

  it.each([
    ['a number', { value: -3.5 }],
    ['true or false', { value: false }],
    ['a text', { value: 'toxic' }],
    ['a session', { trace_id: undefined, session_id: 's-1' }],
    ['an item of a run', RUN],
    ['a repetition of an item', { ...RUN, repetition: 2 }],
  ])('accepts %s', (_, changes) => {
    const record = JSON.parse(JSON.stringify(score(changes)));
    expect(parse(record)).toEqual({ score: record });
  });

  it.each([
    ['no id', { id: undefined }, 'score.id must be a string, not absent'],
    ['an invalid id', { id: '1' }, 'score.id must be a UUID in lower case'],
    ['a blank name', { name: ' ' }, 'score.name must not be blank'],
    ['no value', { value: undefined }, 'score.value must be a number, true, false, a string or null'],
    ['an object as value', { value: {} }, 'score.value must be a number, true, false, a string or null'],
    ['a long value', { value: 'x'.repeat(513) }, 'score.value must have at most 512 characters, not 513'],
    [
      'a long explanation',
      { explanation: 'x'.repeat(16_385) },
      'score.explanation must have at most 16384 characters, not 16385',
    ],
    [
      'large metadata',
      { metadata: { a: 'x'.repeat(65_536) } },
      'score.metadata must have at most 65536 characters as JSON, not 65544',
    ],
    ['no author', { author: null }, 'score.author must be an object, not null'],
    [
      'an author without a kind',
      { author: { name: 'x' } },
      'score.author.kind must be one of person, program, evaluator, not absent',
    ],
    [
      'a local time',
      { created_at: '2026-01-31T12:00:00' },
      'score.created_at must be an ISO 8601 time in UTC, such as 2026-01-31T12:00:00.000000Z',
    ],
    [
      'no target',
      { trace_id: undefined },
      'score.trace_id is missing, as are session_id and test_run_id; set one of them',
    ],
    [
      'two targets',
      { session_id: 's' },
      'score.session_id cannot be combined with trace_id; a score has one target',
    ],
    [
      'a span without its trace',
      { trace_id: undefined, session_id: 's', span_id: newSpanId() },
      'score.span_id requires trace_id',
    ],
    ['an item without its run', { item_no: 1 }, 'score.item_no requires test_run_id'],
    [
      'a run without an item',
      { ...RUN, item_no: undefined },
      'score.item_no must be a whole number from 0 to 9007199254740991, not absent',
    ],
  ])('is rejected with %s, alone and with its id', (_, changes, detail) => {
    const record = score(changes);
    const id = typeof record['id'] === 'string' ? { id: record['id'] } : {};
    expect(parse(record)).toEqual({ rejection: { line: 7, ...id, detail: `line 7: ${detail}` } });
  });
});
