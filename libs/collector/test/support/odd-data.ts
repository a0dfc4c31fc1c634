import { newSpanId, newTraceId, type SpanRecord } from '@dacapo/protocol';
import { ndjson, score, span, startedAt, unfinished } from './records.js';
import type { Tenant } from './service.js';

/** Text that a format may trip over. */
const ODD_TEXT = 'line\nline\r\n\u2028\u2029\u0000\ud83d\ude00 "cursor":"x"} \\u0041 </script>';

const continued = (id: string, trace_id: string): SpanRecord =>
  span({ id, trace_id, span_data: { output: 'ended', meta: { continues: true } } });

/**
 * Stores traces of every kind: sessions, facts that were said early and late, scores of all targets and more than one by one author, spans
 * that have not ended, that came in two parts, and of which only the second part came, replays, payloads of odd and of many bytes.
 *
 * @returns the id of one that a test may delete
 */
export async function furnishOddly(tenant: Tenant): Promise<string> {
  const [own, open, parts, orphan, replay, erased] = Array.from({ length: 6 }, newTraceId);
  const root = span({
    trace_id: own!,
    session_id: 'a session',
    started_at: startedAt(3),
    name: ODD_TEXT.trim(),
    trace_metadata: { tier: 'gold', [ODD_TEXT]: [null, -1.5e-7, ODD_TEXT] },
    trace_contexts: { c: { d: 1 } },
    span_data: {
      input: [null, ODD_TEXT, { __proto__: 1, toString: 2, '': 3 }, 1e300, [[[[[]]]]]],
      output: null,
      prompt: ODD_TEXT,
      contexts: [{ said: ODD_TEXT }],
      usage: { model: 'gpt-4o', input_tokens: 1000, output_tokens: 10, cached: true },
      meta: {
        input: { types: { '/1': 'Date' }, truncated: { '/2': { length: 9 } }, redacted: ['/3'] },
        class: 'Answers',
      },
    },
  });
  const failed = span({
    trace_id: own!,
    parent_id: root.id,
    status: 'error',
    type: 'function',
    trace_function_key: 'inner',
    span_data: { error: { name: 'E', message: ODD_TEXT, cause: { name: 'C', message: '' } } },
  });
  const many = Array.from({ length: 230 }, (_, n) =>
    span({
      trace_id: own!,
      parent_id: root.id,
      started_at: startedAt(10 + (n % 40)),
      span_data: { output: n },
    }),
  );
  const [begun, ended] = [span({ trace_id: open!, session_id: 'a session' }), newSpanId()];
  const first = unfinished(span({ id: ended, trace_id: parts! }));
  const large = span({ started_at: startedAt(1), span_data: { output: 'é'.repeat(1_400_000) } });
  await tenant.store(root, failed, ...many);
  await tenant.store(unfinished(begun), first, continued(ended, parts!), continued(newSpanId(), orphan!));
  await tenant.store(large);
  await tenant.store(span({ trace_id: replay!, test_run_id: newTraceId(), source_span_id: root.id }));
  await tenant.store(span({ trace_id: erased!, session_id: 'a session' }));
  const by = { kind: 'program', name: 'a program' } as const;
  const scores = [
    score({ trace_id: own!, explanation: ODD_TEXT, metadata: { why: [ODD_TEXT] } }),
    score({ trace_id: own!, value: null, created_at: startedAt(9) }),
    score({ trace_id: own!, span_id: failed.id, value: 'text', author: by, label: 'l' }),
    score({ session_id: 'a session', value: true }),
    ...Array.from({ length: 60 }, (_, n) => score({ session_id: 'a session', value: n, name: `of ${n}` })),
  ];
  const late = [
    { trace: { id: own!, metadata: { tier: 'silver' } } },
    {
      trace: { id: own!, at: startedAt(1), metadata: { tier: 'bronze', early: true }, session_id: 'before' },
    },
  ];
  await tenant.ingest(ndjson([...late, ...scores.map((one) => ({ score: one }))])).expect(200);
  return erased!;
}
