import { exact } from '@dacapo/evaluation';
import { defineEval } from './define-eval.js';
import { EVAL_FIELDS } from './options/eval-fields.js';

const classify = (message: string): Promise<string> => Promise.resolve(message);
const answer = (message: string, { model }: { model: string }): string => `${model}: ${message}`;

describe('defineEval', () => {
  it('returns its argument', () => {
    const definition = { data: [{ input: 'late' }], function: classify };
    expect(defineEval(definition)).toBe(definition);
  });

  it('types data and evaluators by the function', () => {
    defineEval({
      data: [{ input: 'late', expected: 'delivery', name: 'late parcel' }],
      function: classify,
      evaluators: [exact(), ({ input, output }) => input.length > output.length],
    });
    // @ts-expect-error the function takes a string
    defineEval({ data: [{ input: 1 }], function: classify });
    // @ts-expect-error a misspelt field
    defineEval({ data: [{ input: 'late' }], function: classify, evaluator: [] });
  });

  it('leaves the last argument to the variants', () => {
    defineEval({
      data: [{ input: 'late', expected: 'small: late' }],
      function: answer,
      variants: { small: { model: 'small' }, large: { model: 'large' } },
      evaluators: { short: ({ input, output }) => output.length < input.length * 2 },
    });
    // @ts-expect-error the item's argument is the message
    defineEval({ data: [{ input: 1 }], function: answer, variants: { small: { model: 'small' } } });
  });

  it('accepts functions as variants, without another function', () => {
    defineEval({ data: [{ input: 'late' }], variants: { now: classify, next: classify } });
    // @ts-expect-error both variants take a string
    defineEval({ data: [{ input: 1 }], variants: { now: classify } });
  });

  it('accepts files, datasets, stored calls and functions as data', () => {
    defineEval({ data: 'tickets.csv', function: classify });
    defineEval({ data: { file: 'tickets.csv', input: 'text', expected: 'label' }, function: classify });
    defineEval({ data: { dataset: 'tickets', version: 2 }, function: classify });
    defineEval({ data: { key: 'classify', since: '2026-11-01' }, function: classify });
    defineEval({ data: () => Promise.resolve([{ input: 'late' }]), function: classify });
  });

  it('may define every option of tracer.evaluate that the command does not set', () => {
    expect(EVAL_FIELDS).toEqual(
      expect.arrayContaining([
        'data',
        'function',
        'variants',
        'evaluators',
        'gate',
        'repeat',
        'timeoutMs',
        'key',
      ]),
    );
    expect(EVAL_FIELDS).not.toContain('onItem');
  });
});
