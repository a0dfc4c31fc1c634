import { formatTraceTree } from './trace-tree.js';

describe('A tree of spans', () => {
  it('shows a trace with 130,000 of them', () => {
    const spans = Array.from({ length: 130_000 }, (_one, index) => ({
      id: String(index),
      trace_function_key: 'step',
      name: 'step',
      type: 'function' as const,
      status: 'ok' as const,
      started_at: '2026-01-31T12:30:00.000000Z',
      duration_ms: 1,
    }));
    expect(formatTraceTree(spans).split('\n')).toHaveLength(130_000);
  });
});
