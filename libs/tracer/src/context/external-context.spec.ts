import { runWithoutTracing, runWithTraceContext } from '../recording/trace-context.js';
import { createTestTracer } from '../testing.js';
import { contextStorage } from './context-storage.js';
import { addExternalContext, removeExternalContext } from './external-context.js';

describe('a library whose current span cannot be read', () => {
  const broken = {
    position: (): never => {
      throw new Error('no context');
    },
  };

  beforeEach(() => {
    addExternalContext(broken);
  });
  afterEach(() => {
    removeExternalContext(broken);
  });

  it('is treated like one without a span', () => {
    const { tracer, spans } = createTestTracer();
    const child = tracer.withSpan('child', () => tracer.getCurrentSpan().spanId);
    const parent = tracer.withSpan('parent', () => child());
    expect(parent()).toBe(spans[0]!.id);
    expect(spans[0]!.parent_id).toBe(spans[1]!.id);
    expect(tracer.getCurrentSpan().traceId).toBe('');
  });
});

describe('code in its own context inside a span of a library', () => {
  const { tracer, spans, clear } = createTestTracer();
  const inside = tracer.withSpan('inside', () => 1);
  const around = tracer.withSpan('around', () => contextStorage.getStore())()!;
  const library = { position: () => ({ externalId: 'run', startedMs: Infinity, frame: around }) };

  beforeEach(() => {
    clear();
    addExternalContext(library);
  });
  afterEach(() => {
    removeExternalContext(library);
  });

  it('is not recorded where nothing is to be', () => {
    runWithoutTracing(() => inside());
    expect(spans).toEqual([]);
  });

  it('continues the trace of a caller that is trusted', () => {
    runWithTraceContext({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }, () => inside(), {
      incoming: 'continue',
    });
    expect(spans).toMatchObject([{ parent_id: 'b'.repeat(16) }]);
  });
});
