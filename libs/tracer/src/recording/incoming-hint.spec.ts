import type { TracerOptions } from '../options/tracer-options.js';
import { createTestTracer } from '../testing.js';
import { runWithTraceContext } from './trace-context.js';

const HEADERS = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

function listWarnings(options: TracerOptions, times = 1): string[] {
  const warnings: string[] = [];
  const logger = { warn: (message: string) => warnings.push(message) };
  const { tracer } = createTestTracer({ logger, ...options });
  const call = tracer.withSpan('call', () => 1);
  for (let i = 0; i < times; i++) runWithTraceContext(HEADERS, call);
  return warnings;
}

describe('the hint that a header was linked', () => {
  it('appears once per process, and only without a choice to link', () => {
    expect(listWarnings({ incoming: 'link' })).toEqual([]);
    expect(listWarnings({ incoming: () => 'link' })).toEqual([]);
    expect(listWarnings({}, 2)).toEqual([
      "Linked to the caller's trace instead of continuing it. Set incoming: 'continue' if you trust the caller, or 'link' to hide this hint.",
    ]);
    expect(listWarnings({})).toEqual([]);
  });
});
