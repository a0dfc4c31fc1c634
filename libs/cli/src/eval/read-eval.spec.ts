import { EVAL_FIELDS, readTracedKey } from '@dacapo/tracer/internal';
import { createTestTracer } from '@dacapo/tracer/testing';
import { type EvalPlan, readEval } from './read-eval.js';

const classify = (message: string): string => message;

const read = (main: unknown, file = 'evals/support.eval.ts'): EvalPlan =>
  readEval({ name: file, path: `/app/${file}`, exports: new Map(), main }, EVAL_FIELDS, { readTracedKey });

describe('readEval', () => {
  it('names an evaluation after its file, and its key after its function', () => {
    expect(read({ data: [], function: classify })).toMatchObject({
      name: 'support',
      variants: [{ name: '', fn: classify }],
      options: { key: 'classify' },
    });
    expect(read({ data: [], function: classify, name: 'Support desk' }).name).toBe('Support desk');
  });

  it('uses the key of the file, else of the data, else of a wrapped function, else the name', () => {
    const wrapped = createTestTracer().tracer.withSpan('desk', classify);
    const chooseKey = (main: object): unknown => read({ data: [], ...main }).options.key;
    expect(chooseKey({ function: wrapped, data: { key: 'recorded' }, key: 'mine' })).toBe('mine');
    expect(chooseKey({ function: wrapped, data: { key: 'recorded' } })).toBe('recorded');
    expect(chooseKey({ function: wrapped })).toBe('desk');
    expect(chooseKey({ function: (input: string) => input })).toBe('support');
    expect(chooseKey({ variants: { now: classify } })).toBe('support');
  });

  it('passes on every option of tracer.evaluate', () => {
    const options = { evaluators: {}, gate: { errors: 0 }, repeat: 2, maxConcurrency: 3, timeoutMs: 10 };
    expect(read({ data: [], function: classify, ...options }).options).toMatchObject(options);
  });

  it('passes a variant that is not a function as the last argument of the function', () => {
    const calls: unknown[][] = [];
    const { variants } = read({
      data: [],
      function: (...args: unknown[]) => calls.push(args),
      variants: { small: 'gpt-small', other: classify },
    });
    variants[0]?.fn('late', 2);
    expect(calls).toEqual([['late', 2, 'gpt-small']]);
    expect(variants.map(({ name }) => name)).toEqual(['small', 'other']);
    expect(variants[1]?.fn).toBe(classify);
  });

  it.each<[string, unknown, string]>([
    ['no default export', undefined, 'has no default export that defines an evaluation. Write it like:'],
    ['an empty module', {}, 'has no default export that defines an evaluation.'],
    ['no data', { function: classify }, 'data is missing.'],
    ['no function', { data: [] }, 'function is missing.'],
    [
      'a function that is none',
      { data: [], function: 'classify' },
      "function must be a function, not 'classify'.",
    ],
    [
      'a typo',
      { data: [], function: classify, evaluator: [] },
      'unknown field "evaluator". Did you mean "evaluators"?',
    ],
    [
      'the name of another tool',
      { data: [], task: classify },
      'unknown field "task". Did you mean "function"?',
    ],
    [
      'an option that the command sets',
      { data: [], function: classify, onItem: classify },
      'unknown field "onItem".',
    ],
    ['a blank name', { data: [], function: classify, name: ' ' }, 'name must be a string that is not blank.'],
    [
      'a list of variants',
      { data: [], function: classify, variants: [1] },
      'variants must be an object with at least one named variant.',
    ],
    [
      'no variants',
      { data: [], function: classify, variants: {} },
      'variants must be an object with at least one named variant.',
    ],
    [
      'values without a function',
      { data: [], variants: { a: 1 } },
      'variants.a is 1, but there is no function to pass it to.',
    ],
  ])('refuses %s', (_, main, message) => {
    expect(() => read(main)).toThrow(`evals/support.eval.ts: ${message}`);
  });

  it('rejects mocking when variants call a wrapped function, whose calls are one level deeper', () => {
    const wrapped = createTestTracer().tracer.withSpan('desk', classify);
    const mocked = { data: { key: 'desk' }, mock: 'all', variants: { a: 1 } };
    expect(() => read({ ...mocked, function: wrapped })).toThrow(
      'variants call a function that withSpan wrapped',
    );
    expect(read({ ...mocked, function: classify }).variants).toHaveLength(1);
  });
});
