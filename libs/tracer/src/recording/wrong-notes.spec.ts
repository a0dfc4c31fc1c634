import type { TracerError } from '../errors.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';
import { InvalidNoteError } from './errors.js';

function noted(note: (tracer: Tracer) => void) {
  const errors: TracerError[] = [];
  const warnings: string[] = [];
  const test = createTestTracer({
    onError: (error) => errors.push(error),
    logger: { warn: (message) => warnings.push(message) },
  });
  const result = test.tracer.withSpan('k', () => {
    note(test.tracer);
    return 'done';
  })();
  return { ...test, errors, told: warnings, result };
}

const untyped = (value: unknown): never => value as never;

describe('a setter with an invalid argument', () => {
  it.each<[string, string, (tracer: Tracer) => void]>([
    [
      'setSessionId',
      'a number',
      (t) => {
        t.getCurrentTrace().setSessionId(untyped(5));
      },
    ],
    [
      'setSessionId',
      'a blank text',
      (t) => {
        t.getCurrentTrace().setSessionId(' ');
      },
    ],
    [
      'setSessionId',
      'undefined',
      (t) => {
        t.getCurrentTrace().setSessionId(untyped(undefined));
      },
    ],
    [
      'setMetadata',
      'a text',
      (t) => {
        t.getCurrentTrace().setMetadata(untyped('a'));
      },
    ],
    [
      'addContext',
      'null',
      (t) => {
        t.getCurrentTrace().addContext(untyped(null));
      },
    ],
    [
      'addContext',
      'a function',
      (t) => {
        t.getCurrentSpan().addContext(untyped(() => 1));
      },
    ],
    [
      'setPrompt',
      'an object',
      (t) => {
        t.getCurrentSpan().setPrompt(untyped({ role: 'user' }));
      },
    ],
  ])('%s tells that it was %s, and the call goes on', (method, kind, note) => {
    const { errors, told: warnings, result, spans, traces } = noted(note);
    expect(result).toBe('done');
    expect(errors).toMatchObject([{ code: 'TRACER_INVALID_NOTE', method }]);
    expect(warnings[0]).toContain(`${method} was given ${kind}, so nothing was recorded. Pass `);
    expect(spans).toMatchObject([{ status: 'ok', span_data: { output: 'done' } }]);
    expect(traces).toEqual([]);
  });

  it('is reported once per method, not per call', () => {
    const { errors } = noted((tracer) => {
      for (let i = 0; i < 3; i++) {
        tracer.getCurrentTrace().setSessionId(untyped(i));
        tracer.getCurrentSpan().setPrompt(untyped(i));
      }
    });
    expect(errors.map((error) => error instanceof InvalidNoteError && error.method)).toEqual([
      'setSessionId',
      'setPrompt',
    ]);
  });

  it('shows nothing of the argument', () => {
    const { told: warnings } = noted((tracer) => {
      tracer.getCurrentSpan().setPrompt(untyped({ apiKey: 'sk-live-123' }));
    });
    expect(warnings.join()).not.toContain('sk-live');
  });
});
