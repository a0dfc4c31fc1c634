import fc from 'fast-check';
import { getCurrentSpan, getCurrentTrace } from '../index.js';
import { createTestTracer } from '../testing.js';

/** Texts that are found again wherever they are. */
const marked = fc.stringMatching(/^[a-z]{6,12}$/).map((text) => `<<${text}>>`);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    marked,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(marked, tie('value'), { maxKeys: 3 }),
    marked.map((text) => new Map([[text, Buffer.from(text)]])),
    marked.map((text) => new Error(text, { cause: text })),
  ),
})).value;

describe('capture.metadataOnly', () => {
  it('sends no text of a value', async () => {
    await fc.assert(
      fc.asyncProperty(value, value, marked, fc.boolean(), async (input, output, text, fails) => {
        const test = createTestTracer({ capture: { metadataOnly: true } });
        const run = test.tracer.withSpan('work', { type: 'llm' }, async (received: unknown) => {
          getCurrentSpan().setPrompt(text);
          getCurrentSpan().addContext({ [text]: received });
          getCurrentTrace().setMetadata({ [text]: text });
          getCurrentTrace().addContext({ note: text });
          await Promise.resolve();
          if (fails) throw Object.assign(new TypeError(text, { cause: new Error(text) }), { code: 'E_WORK' });
          return output;
        });
        const stream = test.tracer.withSpan('stream', {}, async function* () {
          yield text;
          yield output;
          return text;
        });
        await run(input).catch(() => undefined);
        for await (const item of stream()) expect(item).toBeDefined();
        const sent = JSON.stringify([test.spans, test.traces]);
        expect(sent).not.toContain('<<');
        expect(test.spans).toHaveLength(2);
      }),
      { numRuns: 60 },
    );
  });

  it('records names, types, times, sizes, and names and codes of errors', async () => {
    const test = createTestTracer({ capture: { metadataOnly: true } });
    const run = test.tracer.withSpan('work', { type: 'llm' }, (text: string) => {
      if (text === 'fail')
        throw Object.assign(new TypeError('secret', { cause: new RangeError('secret') }), { code: 'E_WORK' });
      return [text];
    });
    run('abc');
    expect(() => run('fail')).toThrow('secret');
    const [ok, failed] = test.spans;
    expect(ok).toMatchObject({
      name: 'work',
      type: 'llm',
      status: 'ok',
      span_data: {
        input: [],
        output: [],
        meta: {
          input: { truncated: { '': { bytes: 7, kept: 0 } } },
          output: { truncated: { '': { bytes: 7, kept: 0 } } },
          replayable: false,
        },
      },
    });
    expect(failed?.span_data.error).toEqual({
      name: 'TypeError',
      message: '',
      code: 'E_WORK',
      cut: true,
      cause: { name: 'RangeError', message: '', cut: true },
    });
  });
});

describe('a secret that arrives in pieces of a stream', () => {
  const key = 'sk-proj-abcdefghijklmnop1234';
  const pieces = ['The key is ', ...(key.match(/.{1,3}/g) ?? []), ', keep it'];

  it.each<[string, (piece: string) => unknown]>([
    ['texts', (piece) => piece],
    ['chunks of a model', (piece) => ({ id: 'chunk', choices: [{ delta: { content: piece } }] })],
  ])('does not leave, in %s', async (_, makeItem) => {
    const test = createTestTracer();
    const stream = test.tracer.withSpan('stream', {}, async function* () {
      for (const piece of pieces) yield await Promise.resolve(makeItem(piece));
    });
    const received: unknown[] = [];
    for await (const item of stream()) received.push(item);
    const [span] = test.spans;
    const texts = JSON.stringify(span?.span_data.output).match(/[\w[\]: ,-]*keep it/)?.[0];
    expect(received).toEqual(pieces.map(makeItem));
    expect(texts).toMatch(/^The key is \[redacted:\w{12}\], keep it$/);
    expect(JSON.stringify(span)).not.toMatch(/sk-|klm/);
    expect(span?.span_data.output).toHaveLength(pieces.length);
  });

  it('is not found in pieces without one', async () => {
    const test = createTestTracer();
    const items = ['The ', 'to', 'ken', ': ', 'a piece ', 'of text'];
    const stream = test.tracer.withSpan('stream', {}, async function* () {
      for (const item of items) yield await Promise.resolve(item);
    });
    for await (const item of stream()) expect(item).toBeDefined();
    expect(test.spans[0]?.span_data.output).toEqual(items);
  });
});

describe('a secret outside values', () => {
  it('does not leave in the id of a session, or in the name of a span', () => {
    const test = createTestTracer();
    const key = 'sk-proj-abcdefghijklmnop1234';
    const run = test.tracer.withSpan('work', { name: `https://ann:hunter2@a.b/c?api_key=${key}` }, () => {
      getCurrentTrace().setSessionId(`user ${key}`);
    });
    run();
    const sent = JSON.stringify([test.spans, test.traces]);
    expect(test.spans[0]?.name).toBe('https://[redacted]@a.b/c?api_key=[redacted]');
    expect(test.traces[0]?.session_id).toMatch(/^user \[redacted:\w{12}\]$/);
    expect(sent).not.toMatch(/hunter2|sk-proj/);
  });
});
