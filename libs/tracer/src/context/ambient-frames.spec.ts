import { createTestTracer } from '../testing.js';
import { addAmbientSource, removeAmbientSource } from './ambient-frames.js';

describe('a library whose current span cannot be asked for', () => {
  const broken = {
    position: (): never => {
      throw new Error('no context');
    },
  };

  beforeEach(() => {
    addAmbientSource(broken);
  });
  afterEach(() => {
    removeAmbientSource(broken);
  });

  it('is as one that has none', () => {
    const { tracer, spans } = createTestTracer();
    const child = tracer.withSpan('child', () => tracer.getCurrentSpan().spanId);
    const parent = tracer.withSpan('parent', () => child());
    expect(parent()).toBe(spans[0]!.id);
    expect(spans[0]!.parent_id).toBe(spans[1]!.id);
    expect(tracer.getCurrentSpan().traceId).toBe('');
  });
});
