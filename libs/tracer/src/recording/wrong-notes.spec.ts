import type { TracerError } from '../errors.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';
import { InvalidNoteError } from './errors.js';

function noted(note: (tracer: Tracer) => void) {
  const errors: TracerError[] = [];
  const told: string[] = [];
  const test = createTestTracer({
    onError: (error) => errors.push(error),
    logger: { warn: (message) => told.push(message) },
  });
  const result = test.tracer.withSpan('k', () => {
    note(test.tracer);
    return 'done';
  })();
  return { ...test, errors, told, result };
}

const given = (value: unknown): never => value as never;

describe('a note that is given what it does not take', () => {
  it.each<[string, string, (tracer: Tracer) => void]>([
    [
      'setSessionId',
      'a number',
      (t) => {
        t.getCurrentTrace().setSessionId(given(5));
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
        t.getCurrentTrace().setSessionId(given(undefined));
      },
    ],
    [
      'setMetadata',
      'a text',
      (t) => {
        t.getCurrentTrace().setMetadata(given('a'));
      },
    ],
    [
      'addContext',
      'null',
      (t) => {
        t.getCurrentTrace().addContext(given(null));
      },
    ],
    [
      'addContext',
      'a function',
      (t) => {
        t.getCurrentSpan().addContext(given(() => 1));
      },
    ],
    [
      'setPrompt',
      'an object',
      (t) => {
        t.getCurrentSpan().setPrompt(given({ role: 'user' }));
      },
    ],
  ])('%s tells that it was %s, and the call goes on', (method, kind, note) => {
    const { errors, told, result, spans, traces } = noted(note);
    expect(result).toBe('done');
    expect(errors).toMatchObject([{ code: 'TRACER_INVALID_NOTE', method }]);
    expect(told[0]).toContain(`${method} was given ${kind}, so nothing was noted. Give it `);
    expect(spans).toMatchObject([{ status: 'ok', span_data: { output: 'done' } }]);
    expect(traces).toEqual([]);
  });

  it('is told once for each method, not for each call', () => {
    const { errors } = noted((tracer) => {
      for (let i = 0; i < 3; i++) {
        tracer.getCurrentTrace().setSessionId(given(i));
        tracer.getCurrentSpan().setPrompt(given(i));
      }
    });
    expect(errors.map((error) => error instanceof InvalidNoteError && error.method)).toEqual([
      'setSessionId',
      'setPrompt',
    ]);
  });

  it('shows nothing of what it was given', () => {
    const { told } = noted((tracer) => {
      tracer.getCurrentSpan().setPrompt(given({ apiKey: 'sk-live-123' }));
    });
    expect(told.join()).not.toContain('sk-live');
  });
});
