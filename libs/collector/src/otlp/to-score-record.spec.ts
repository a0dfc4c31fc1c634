import type { JsonObject, ScoreRecord, SpanRecord } from '@dacapo/protocol';
import type { OtlpScore } from '@dacapo/protocol/otlp';
import { SpanMasker } from './span-masker.js';
import { toScoreRecord } from './to-score-record.js';

const SPAN: SpanRecord = {
  id: '00f067aa0ba902b7',
  trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
  trace_function_key: 'desk',
  name: 'answer',
  type: 'llm',
  status: 'ok',
  started_at: '2026-01-01T00:00:00.000000Z',
  span_data: {},
};
const EXPORTED: ScoreRecord = {
  id: '0198f0c2-7b1a-7000-8000-0123456789ab',
  trace_id: SPAN.trace_id,
  span_id: SPAN.id,
  name: 'polite',
  value: true,
  explanation: 'It says please',
  metadata: { rounds: [1, 2] },
  author: { kind: 'person', name: 'ann' },
  created_at: '2026-01-02T00:00:00.000001Z',
};

function convert(recorded?: JsonObject, score: Partial<OtlpScore> = {}): ScoreRecord {
  const sent = { name: 'polite', value: 1, timeNanos: 1_000n, ...(recorded && { recorded }), ...score };
  return toScoreRecord(sent, 0, SPAN, { resource: {}, scope: { name: 'judge' } }, new SpanMasker());
}

const asJson = (score: object): JsonObject => JSON.parse(JSON.stringify(score)) as JsonObject;

describe('a score that Dacapo exported', () => {
  it('keeps its id, author, time and value', () => {
    expect(convert(asJson(EXPORTED))).toEqual(EXPORTED);
    const ofTrace = asJson(EXPORTED);
    delete ofTrace['span_id'];
    expect(convert(ofTrace)).toEqual(ofTrace);
  });

  it('rates the span and trace that it came with, whatever it claims', () => {
    const claimed = {
      ...EXPORTED,
      trace_id: '11111111-16cd-43dd-8448-eb211c80319c',
      span_id: '1'.repeat(16),
    };
    expect(convert(asJson(claimed))).toEqual(EXPORTED);
    const ofSession = { ...asJson(EXPORTED), session_id: 'another', test_run_id: EXPORTED.id, item_no: 1 };
    expect(convert(ofSession)).toEqual(EXPORTED);
  });

  it('is masked', () => {
    const secret = 'password: hunter2hunter2';
    const text = JSON.stringify(convert(asJson({ ...EXPORTED, explanation: secret, metadata: { secret } })));
    expect(text).not.toContain('hunter2');
  });

  it.each([{ id: 'x' }, { author: 'ann' }, { value: [] }, { name: '' }, { created_at: 'today' }])(
    'is read by the GenAI conventions if it is invalid: %j',
    (change) => {
      expect(convert({ ...asJson(EXPORTED), ...change })).toMatchObject({
        name: 'polite',
        value: 1,
        span_id: SPAN.id,
        author: { kind: 'evaluator', name: 'judge' },
        created_at: '1970-01-01T00:00:00.000001Z',
      });
    },
  );
});

describe('a score of another sender', () => {
  it('has the same id in a repeated request, and another one at another position or time', () => {
    const { id } = convert();
    expect(convert().id).toBe(id);
    expect(convert(undefined, { timeNanos: 2_000n }).id).not.toBe(id);
  });
});
