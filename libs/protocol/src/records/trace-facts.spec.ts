import fc from 'fast-check';
import { newSpanId, newTraceId } from '../ids/ids.js';
import type { JsonValue } from '../json/json-value.js';
import { formatTimestamp } from '../timestamp.js';
import type { SpanRecord } from './span.js';
import { readPatchFacts, readSpanFacts, type TraceFact, TraceFacts } from './trace-facts.js';

const id = newTraceId();
const RECEIVED = '2026-01-31T13:00:00.000000Z';

function span(second: number, facts: Partial<SpanRecord>): SpanRecord {
  return {
    id: newSpanId(),
    trace_id: id,
    trace_function_key: 'k',
    name: 'n',
    type: 'custom',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    ended_at: `2026-01-31T12:00:0${second}.000000Z`,
    span_data: {},
    ...facts,
  };
}

/** JSON has no negative zero. */
function roundTrip(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function known(...facts: TraceFact[][]): object {
  const trace = new TraceFacts();
  for (const some of facts) trace.add(some);
  const { session_id, metadata, contexts } = trace.toRecord(id);
  return { session_id, metadata, contexts };
}

describe('the values of a trace', () => {
  it('come from its spans, and are absent if no span sets them', () => {
    const root = span(2, { session_id: 's', trace_metadata: { plan: 'pro' }, trace_contexts: { city: 'c' } });
    expect(known(readSpanFacts(root))).toEqual({
      session_id: 's',
      metadata: { plan: 'pro' },
      contexts: { city: 'c' },
    });
    expect(known(readSpanFacts(span(1, {})))).toEqual({});
  });

  it('come from the span that ended last, in any order of arrival', () => {
    const [before, after] = [
      readSpanFacts(span(1, { session_id: 'a' })),
      readSpanFacts(span(2, { session_id: 'b' })),
    ];
    expect([known(before, after), known(after, before)]).toEqual([{ session_id: 'b' }, { session_id: 'b' }]);
  });

  it('are the last value per key of a span or a patch', () => {
    const root = readSpanFacts(span(5, { trace_metadata: { a: 'root', b: 'root' } }));
    const late = readPatchFacts({ id, at: '2026-01-31T12:00:06.000000Z', metadata: { b: 'late' } }, RECEIVED);
    const early = readPatchFacts(
      { id, at: '2026-01-31T12:00:01.000000Z', metadata: { a: 'early', c: 1 } },
      RECEIVED,
    );
    expect(known(late, early, root)).toEqual({ metadata: { a: 'root', b: 'late', c: 1 } });
  });

  it('date a patch of version 0.1 by its arrival', () => {
    const root = readSpanFacts(span(5, { session_id: 'root' }));
    expect(known(readPatchFacts({ id, session_id: 'patch' }, RECEIVED), root)).toEqual({
      session_id: 'patch',
    });
    const before = readPatchFacts({ id, session_id: 'patch' }, '2026-01-31T11:00:00.000000Z');
    expect(known(before, root)).toEqual({ session_id: 'root' });
  });

  it('date an unfinished span by its start', () => {
    const begun = span(9, { session_id: 'begun', status: 'unfinished' });
    delete begun.ended_at;
    expect(known(readSpanFacts(begun), readSpanFacts(span(1, { session_id: 'child' })))).toEqual({
      session_id: 'child',
    });
  });

  it('do not depend on the order of records or on duplicates', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 });
    const facts = fc.record({
      metadata: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }).map(roundTrip), { maxKeys: 3 }),
      session_id: text,
    });
    const batches = fc
      .array(fc.tuple(facts, fc.nat(3), fc.boolean()), { minLength: 1, maxLength: 6 })
      .map((all) =>
        all.map(([{ metadata, session_id }, us, isPatch]) => {
          const at = formatTimestamp(us);
          return isPatch
            ? readPatchFacts({ id, at, session_id, metadata: metadata }, RECEIVED)
            : readSpanFacts(span(1, { ended_at: at, session_id, trace_metadata: metadata }));
        }),
      );
    fc.assert(
      fc.property(batches, fc.infiniteStream(fc.nat()), (records, order) => {
        const shuffled = [...records, ...records]
          .map((record) => ({ record, at: order.next().value as number }))
          .sort((left, right) => left.at - right.at)
          .map(({ record }) => record);
        expect(known(...shuffled)).toEqual(known(...records));
      }),
    );
  });
});
