import type { NamedScore } from '../run/score.js';
import { applyEvaluators, EvaluatorFailedError, nameEvaluators } from './apply-evaluators.js';
import { called, calledInOrder, latency, tokens } from './bounds.js';
import type { Call, Evaluation, Evaluator, EvaluatorContext } from './evaluator.js';
import { exact } from './exact.js';
import { jsonSchema } from './json-schema.js';
import { judge, type JudgeOptions } from './judge.js';
import { sameWithin, structural } from './structural.js';
import { contains, matches, textSimilarity } from './text.js';

const makeCall = (key: string, changes: Partial<Call> = {}): Call => ({
  key,
  name: key,
  type: 'function',
  path: [key],
  args: [],
  ...changes,
});

function makeContext(changes: Partial<EvaluatorContext> = {}, made: Call[] = []): EvaluatorContext {
  return {
    input: 'question',
    args: ['question'],
    output: 'answer',
    verdict: 'same',
    divergences: [],
    durationMs: 120,
    calls: (key) => made.filter((call) => key === undefined || call.key === key),
    metadata: {},
    ...changes,
  };
}

const say = async (evaluator: Evaluator, changes?: Partial<EvaluatorContext>, made?: Call[]) =>
  evaluator(makeContext(changes, made));
const pair = (output: unknown, expected: unknown): Partial<EvaluatorContext> => ({ output, expected });
const FAILED = { output: undefined, error: new Error('no'), expected: 'answer' };

describe('exact', () => {
  it('requires the expected output, including types', async () => {
    expect(await say(exact(), pair({ a: [1, 2] }, { a: [1, 2] }))).toBe(true);
    expect(await say(exact(), pair({ a: 1, b: 2 }, { b: 2, a: 1 }))).toBe(true);
    expect(await say(exact(), pair(new Date(0), new Date(0).toISOString()))).toBe(false);
    expect(await say(exact(), pair('a', 'b'))).toBe(false);
    expect(await say(exact(), pair(undefined, undefined))).toBe(true);
  });

  it('skips ignored paths', async () => {
    const output = { id: 5, text: 'a' };
    expect(await say(exact({ ignore: ['$.id'] }), pair(output, { id: 6, text: 'a' }))).toBe(true);
    expect(await say(exact({ ignore: ['$.id'] }), pair(output, { id: 6, text: 'b' }))).toBe(false);
    expect(() => exact({ ignore: ['id'] })).toThrow('ignore has the invalid path');
  });

  it('fails when equality is unknown', async () => {
    const output = { handler: (): void => {} };
    expect(await say(exact(), pair(output, output))).toBe(false);
  });
});

describe('structural', () => {
  it('explains where the structure or a value differs', async () => {
    expect(await say(structural(), pair({ a: 1, b: [1, { c: 2 }] }, { a: 1, b: [1, { c: 2 }] }))).toBe(true);
    expect(await say(structural(), pair({ a: 1, b: [1, { c: 3 }] }, { a: '1', b: [1, { c: 2 }] }))).toEqual({
      score: false,
      explanation: 'Differs at $.a, $.b[1].c',
    });
  });

  it('lists at most five differences', async () => {
    const answer = await say(structural(), pair([1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 0]));
    expect(answer).toMatchObject({ explanation: 'Differs at $[0], $[1], $[2], $[3], $[4]' });
  });

  it.each<[object, unknown, unknown, boolean]>([
    [{ absolute: 0.01 }, 0.3, 0.1 + 0.2, true],
    [{ absolute: 1 }, { a: [5] }, { a: [6] }, true],
    [{ absolute: 1 }, { a: [5] }, { a: [6.01] }, false],
    [{ relative: 0.1 }, 110, 100, true],
    [{ relative: 0.1 }, 111, 100, false],
    [{ relative: 0.1 }, -90, -100, true],
    [{ relative: 0.1, absolute: 20 }, 120, 100, true],
    [{ relative: 0.2, absolute: 1 }, 120, 100, true],
    [
      { absolute: 1 },
      new Map([
        ['a', 1],
        ['b', 7],
      ]),
      new Map([
        ['b', 7.5],
        ['a', 2],
      ]),
      true,
    ],
    [{ absolute: 1 }, new Map([['a', 1]]), new Map([['b', 1]]), false],
    [{ absolute: 1 }, [1, 2], [1, 2, 3], false],
    [{ absolute: 1 }, { a: 1, b: 1 }, { a: 1 }, false],
    [{ absolute: 1 }, '5', '6', false],
    [{ absolute: 1 }, 5n, 6n, false],
    [{ absolute: 1 }, { n: 1 }, { n: '1' }, false],
    [{ absolute: 1 }, NaN, NaN, true],
    [{ absolute: Infinity }, NaN, 1, false],
    [{ absolute: 1, ignore: ['$.id'] }, { id: 1, n: 1 }, { id: 'x', n: 2 }, true],
  ])('with %j holds %p and %p alike: %p', async (tolerance, output, expected, isAlike) => {
    const answer = await say(structural(tolerance), pair(output, expected));
    expect(answer === true).toBe(isAlike);
    expect(sameWithin(tolerance)(output, expected)).toBe(isAlike);
  });

  it('compares cyclic values', async () => {
    const loop = (n: number): object => {
      const object: Record<string, unknown> = { n };
      object['self'] = [object];
      return object;
    };
    expect(await say(structural({ absolute: 1 }), pair(loop(1), loop(2)))).toBe(true);
    expect(await say(structural({ absolute: 1 }), pair(loop(1), loop(3)))).toMatchObject({ score: false });
  });

  it('refuses an invalid tolerance', () => {
    expect(() => structural({ absolute: -1 })).toThrow('absolute must be a number of at least 0, not -1');
    expect(() => sameWithin({ relative: NaN })).toThrow('relative must be a number of at least 0, not NaN');
  });
});

describe('textSimilarity', () => {
  // Distances as in V. I. Levenshtein's definition; kitten and sitting are the customary example, of distance 3.
  it.each([
    ['kitten', 'sitting', 1 - 3 / 7],
    ['flaw', 'lawn', 1 - 2 / 4],
    ['', 'abc', 0],
    ['abc', '', 0],
    ['', '', 1],
    ['same', 'same', 1],
    ['a😀c', 'abc', 1 - 1 / 3],
    ['abc', 'xyz', 0],
  ])('of %j and %j is %d', async (output, expected, known) => {
    expect(await say(textSimilarity(), pair(output, expected))).toBeCloseTo(known, 12);
  });

  it('compares other values as JSON', async () => {
    expect(await say(textSimilarity(), pair({ a: 1 }, '{"a":2}'))).toBeCloseTo(1 - 1 / 7, 12);
    expect(await say(textSimilarity(), pair(12, '13'))).toBeCloseTo(0.5, 12);
    expect(await say(textSimilarity(), pair(null, undefined))).toBeLessThan(1);
  });

  it('compares long texts by their words', async () => {
    const words = Array.from({ length: 2000 }, (_, index) => `word${index}`);
    const half = [...words.slice(0, 1000), ...words.slice(0, 1000).map((word) => `${word}x`)];
    expect(await say(textSimilarity(), pair(words.join(' '), half.join('\n')))).toBe(0.5);
    const twice = await say(textSimilarity(), pair('a '.repeat(20_000).trim(), 'a '.repeat(10_000).trim()));
    expect(twice).toBeCloseTo(2 / 3, 9);
  });
});

describe('matches and contains', () => {
  it('search the output as text', async () => {
    expect(await say(matches(/^ans/))).toBe(true);
    expect(await say(matches(/^wer/))).toBe(false);
    expect(await say(matches(/"n":5/), { output: { n: 5 } })).toBe(true);
    expect(await say(contains('swe'))).toBe(true);
    expect(await say(contains('SWE'))).toEqual({ score: false, explanation: 'Missing: SWE' });
    expect(await say(contains('SWE', { ignoreCase: true }))).toBe(true);
    expect(await say(contains(['an', 'x', 'y']))).toEqual({ score: false, explanation: 'Missing: x, y' });
    expect(await say(contains(['an', 'er']))).toBe(true);
  });

  it('search from the start each time', async () => {
    const evaluator = matches(/a/gy);
    expect([await say(evaluator), await say(evaluator), await say(evaluator)]).toEqual([true, true, true]);
    expect(await say(matches(/ANSWER/gi))).toBe(true);
  });

  it('require a text to search for', () => {
    expect(() => contains([])).toThrow('texts must not be empty');
  });
});

describe('jsonSchema', () => {
  const schema = {
    type: 'object',
    properties: { label: { enum: ['billing', 'other'] }, score: { type: 'number' } },
    required: ['label'],
    additionalProperties: false,
  };

  it('checks the output, and explains what does not match', async () => {
    expect(await say(jsonSchema(schema), { output: { label: 'billing', score: 1 } })).toBe(true);
    expect(await say(jsonSchema(schema), { output: { label: 'x', score: '1' } })).toEqual({
      score: false,
      explanation: '$/label must be equal to one of the allowed values; $/score must be number',
    });
    expect(await say(jsonSchema(schema), { output: {} })).toMatchObject({ score: false });
  });

  it('reads text that is JSON', async () => {
    expect(await say(jsonSchema(schema, { isText: true }), { output: '{"label":"other"}' })).toBe(true);
    expect(await say(jsonSchema(schema), { output: '{"label":"other"}' })).toMatchObject({ score: false });
    expect(await say(jsonSchema(schema, { isText: true }), { output: 'sorry' })).toEqual({
      score: false,
      explanation: 'It is not JSON.',
    });
  });

  it.each([
    ['http://json-schema.org/draft-07/schema#', { items: [{ type: 'string' }] }, ['a'], [1]],
    ['https://json-schema.org/draft/2019-09/schema', { dependentRequired: { a: ['b'] } }, { c: 1 }, { a: 1 }],
    [
      'https://json-schema.org/draft/2020-12/schema',
      { prefixItems: [{ type: 'string' }], unevaluatedItems: false },
      ['a'],
      ['a', 1],
    ],
  ])('supports the dialect %s', async ($schema, rules, good, bad) => {
    const evaluator = jsonSchema({ $schema, ...rules });
    expect(await say(evaluator, { output: good })).toBe(true);
    expect(await say(evaluator, { output: bad })).toMatchObject({ score: false });
  });

  it('uses its own schema, even if another has the same id', async () => {
    const $id = 'https://example.org/answer';
    const [text, number] = [jsonSchema({ $id, type: 'string' }), jsonSchema({ $id, type: 'number' })];
    for (const [output, isText] of [
      ['a', true],
      [1, false],
    ] as const) {
      expect((await say(text, { output })) === true).toBe(isText);
      expect((await say(number, { output })) === true).toBe(!isText);
    }
  });

  it('ignores unknown formats and keywords', async () => {
    const evaluator = jsonSchema({ type: 'string', format: 'email', 'x-note': 1 });
    expect(await say(evaluator, { output: 'no address' })).toBe(true);
  });

  it('fails each item when the schema is invalid', async () => {
    const { errors } = await applyEvaluators(nameEvaluators([jsonSchema({ type: 'text' })]), makeContext());
    expect(errors).toMatchObject([{ evaluator: 'jsonSchema', code: 'EVALUATION_EVALUATOR_FAILED' }]);
    expect(() => jsonSchema('{}' as never)).toThrow('schema must be an object');
  });
});

describe('latency and tokens', () => {
  it('accept values up to and including the limit', async () => {
    expect(await say(latency({ maxMs: 120 }))).toBe(true);
    expect(await say(latency({ maxMs: 119 }))).toEqual({ score: false, explanation: '120 ms; at most 119' });
    expect(await say(latency({ maxMs: 50 }), { durationMs: 60.4 })).toMatchObject({
      explanation: '60 ms; at most 50',
    });
    const usage = { inputTokens: 60, outputTokens: 40 };
    expect(await say(tokens({ max: 100 }), { usage })).toBe(true);
    expect(await say(tokens({ max: 99 }), { usage })).toEqual({
      score: false,
      explanation: '100 tokens; at most 99',
    });
    expect(await say(tokens({ max: 50 }), { usage: { inputTokens: 60 } })).toMatchObject({ score: false });
    expect(await say(tokens({ max: 50 }), { usage: { outputTokens: 50 } })).toBe(true);
  });

  it('do not apply without usage', async () => {
    expect(await say(tokens({ max: 0 }))).toBeNull();
    expect(await say(tokens({ max: 0 }), { usage: { costUsd: 1 } })).toBeNull();
  });

  it('require a limit', () => {
    expect(() => latency({ maxMs: NaN })).toThrow('maxMs must be a number of at least 0, not NaN');
    expect(() => tokens({ max: -1 })).toThrow('max must be a number of at least 0, not -1');
    expect(() => called('a', { min: -1 })).toThrow('min must be a number of at least 0, not -1');
    expect(() => called('a', { max: NaN })).toThrow('max must be a number of at least 0, not NaN');
  });
});

describe('Evaluators of inner calls', () => {
  const made = [
    makeCall('guard', { type: 'guardrail' }),
    makeCall('search'),
    makeCall('answer', { type: 'llm', name: 'gpt' }),
    makeCall('search'),
  ];

  it.each<[string, Evaluator, Evaluation]>([
    ['the guardrail was called', called('guard'), true],
    ['a call that was not made', called('mail'), { score: false, explanation: '0 calls; at least 1' }],
    ['no call at all', called('mail', { max: 0 }), true],
    [
      'a call that must not be',
      called('guard', { max: 0 }),
      { score: false, explanation: '1 calls; at most 0' },
    ],
    ['at most two tools', called({ type: 'function' }, { max: 2 }), true],
    [
      'at most one tool',
      called({ type: 'function' }, { max: 1 }),
      { score: false, explanation: '2 calls; at most 1' },
    ],
    ['two to three searches', called('search', { min: 2, max: 3 }), true],
    [
      'three searches',
      called('search', { min: 3, max: 3 }),
      { score: false, explanation: '2 calls; at least 3, at most 3' },
    ],
    ['a call by name', called({ name: 'gpt' }), true],
    ['a call by several traits', called({ key: 'answer', type: 'function' }, { max: 0 }), true],
    ['a call by key among traits', called({ key: 'search' }, { min: 2 }), true],
    ['a call by a function', called(({ key }) => key.startsWith('s'), { min: 2 }), true],
    ['an order', calledInOrder(['guard', 'answer']), true],
    ['the whole order', calledInOrder(['guard', 'search', 'answer', 'search']), true],
    [
      'another order',
      calledInOrder(['answer', 'guard']),
      { score: false, explanation: 'guard was not called in this position' },
    ],
    ['no order', calledInOrder([]), true],
  ])('score %s', async (_, evaluator, answer) => {
    expect(await say(evaluator, {}, made)).toEqual(answer);
  });

  it('name their scores', () => {
    expect(
      [called('guard'), called({ type: 'llm' }), called('a', { name: 'b' }), calledInOrder([])].map(
        ({ name }) => name,
      ),
    ).toEqual(['called guard', 'called', 'b', 'called in order']);
  });
});

describe('a judge', () => {
  const choices = { Correct: 1, 'Partly right': 0.5, wrong: false, 'not asked': null };
  const judged = (answer: unknown, withChoices = true): Promise<Evaluation> =>
    say(judge({ name: 'correct', ask: async () => answer, ...(withChoices && { choices }) }));

  it.each<[unknown, Evaluation]>([
    ['Correct', { score: 1, label: 'Correct' }],
    [' partly RIGHT\n', { score: 0.5, label: 'Partly right' }],
    ['**Correct**, because it cites.', { score: 1, label: 'Correct', explanation: 'because it cites.' }],
    [
      { choice: 'wrong', rationale: 'It is not.' },
      { score: false, label: 'wrong', explanation: 'It is not.' },
    ],
    [
      { verdict: 'correct', explanation: 'Yes.', reason: 'no' },
      { score: 1, label: 'Correct', explanation: 'Yes.' },
    ],
    [
      { label: 'not asked', reason: 'Nothing.' },
      { score: null, label: 'not asked', explanation: 'Nothing.' },
    ],
    [
      { score: 'wrong', reason: 5 },
      { score: false, label: 'wrong' },
    ],
    [null, null],
  ])('that answers %j scores', async (answer, score) => {
    expect(await judged(answer)).toEqual(score);
  });

  it('fails the item with an answer that matches no choice', async () => {
    await expect(judged('maybe')).rejects.toThrow(
      'The judge answered "maybe"; expected one of: Correct, Partly right, wrong, not asked.',
    );
    await expect(judged({})).rejects.toThrow('The judge answered "undefined"');
    await expect(judged('constructor')).rejects.toThrow('The judge answered "constructor"');
  });

  it('without choices returns any score', async () => {
    expect(await judged(0.7, false)).toBe(0.7);
    expect(await judged({ score: true, label: 'x' }, false)).toEqual({ score: true, label: 'x' });
  });

  it('has a version that choices and the text of `ask` are part of', () => {
    const readVersion = (options: Partial<JudgeOptions<unknown[], unknown>>): string | undefined =>
      judge({ name: 'n', ask: () => 1, choices: { yes: 1 }, version: 'small', ...options }).version;
    const baseVersion = readVersion({});
    expect(readVersion({})).toBe(baseVersion);
    for (const changed of [
      { version: 'large' },
      { choices: { yes: 2 } },
      { choices: { yes: 1, no: 0 } },
      { ask: () => 2 },
    ])
      expect(readVersion(changed)).not.toBe(baseVersion);
    expect(judge({ name: 'n', ask: () => 1 }).version).toBeUndefined();
  });

  it('receives the context of an evaluator', async () => {
    const questions: unknown[] = [];
    await say(judge({ name: 'n', ask: ({ input, output }) => questions.push(input, output) }));
    expect(questions).toEqual(['question', 'answer']);
  });
});

describe('built-in evaluators', () => {
  it.each([exact(), structural(), textSimilarity()])(
    'do not apply without an expected value: $name',
    async (evaluator) => {
      expect(await say(evaluator)).toBeNull();
    },
  );

  it.each([exact(), structural(), matches(/undefined/), contains('undefined'), jsonSchema({})])(
    'are false of a call that threw: $name',
    async (evaluator) => {
      expect(await say(evaluator, FAILED)).toBe(false);
    },
  );

  it('fail for a call that threw', async () => {
    expect(await say(textSimilarity(), FAILED)).toBe(0);
  });

  it('can be named', () => {
    const name = 'mine';
    const all = [
      exact({ name }),
      structural({ name }),
      textSimilarity({ name }),
      matches(/a/, { name }),
      contains('a', { name }),
      jsonSchema({}, { name }),
      latency({ maxMs: 1, name }),
      tokens({ max: 1, name }),
      judge({ name, ask: () => 1 }),
      calledInOrder([], { name }),
    ];
    expect(new Set(all.map((evaluator) => evaluator.name))).toEqual(new Set([name]));
    const usual = [
      exact(),
      structural(),
      textSimilarity(),
      matches(/a/),
      contains('a'),
      jsonSchema({}),
      latency({ maxMs: 1 }),
      tokens({ max: 1 }),
    ];
    expect(usual.map((evaluator) => evaluator.name)).toEqual([
      'exact',
      'structural',
      'textSimilarity',
      'matches',
      'contains',
      'jsonSchema',
      'latency',
      'tokens',
    ]);
  });
});

describe('applying evaluators', () => {
  const applyAll = async (
    evaluators: Parameters<typeof nameEvaluators>[0],
    changes?: Partial<EvaluatorContext>,
  ) => applyEvaluators(nameEvaluators(evaluators), makeContext(changes));
  const answering = (answer: unknown): Record<string, Evaluator> => ({ it: () => answer as Evaluation });

  it.each<[unknown, Omit<NamedScore, 'name'>]>([
    [0.5, { score: 0.5 }],
    [true, { score: true }],
    [null, { score: null }],
    [
      { score: 'billing', label: 'l', explanation: 'e', metadata: { a: 1 } },
      { score: 'billing', label: 'l', explanation: 'e', metadata: { a: 1 } },
    ],
    [{ score: null }, { score: null }],
    [{ score: null, error: null }, { score: null }],
    [{ score: 1, error: undefined }, { score: 1 }],
    [{ score: false, label: 5, explanation: null, metadata: null, more: 1 }, { score: false }],
    [
      { name: 'Levenshtein', score: 0.8, metadata: { rationale: 'r' } },
      { score: 0.8, metadata: { rationale: 'r' } },
    ],
  ])('takes %j for a score', async (answer, score) => {
    expect(await applyAll(answering(answer))).toEqual({ scores: [{ name: 'it', ...score }], errors: [] });
  });

  it.each<[unknown, string]>([
    [NaN, 'answered NaN.'],
    [Infinity, 'answered Infinity.'],
    ['good', 'answered "good".'],
    [undefined, 'answered undefined.'],
    [{}, 'answered an object.'],
    [[0.5], 'answered a list.'],
    [() => 1, 'answered a function.'],
    [{ score: undefined }, 'answered the score undefined.'],
    [{ score: NaN }, 'answered the score NaN.'],
    [{ score: { of: 1 } }, 'answered the score an object.'],
    [{ score: null, error: 'quota' }, 'failed: "quota"'],
    [{ score: null, error: new Error('quota') }, 'failed: quota'],
  ])('takes %j for a failure', async (answer, message) => {
    const { scores, errors } = await applyAll(answering(answer));
    expect(scores).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(errors[0]!.message).toContain(`The evaluator it ${message}`);
    expect(errors[0]).toMatchObject({
      name: 'EvaluatorFailedError',
      code: 'EVALUATION_EVALUATOR_FAILED',
      evaluator: 'it',
    });
  });

  it('keeps what was thrown as the cause, whatever it is', async () => {
    const thrown = new TypeError('no key');
    const { errors } = await applyAll({
      broken: () => {
        throw thrown;
      },
      odd: () => {
        const number: unknown = 5;
        throw number as Error;
      },
    });
    expect(errors.map(({ message, cause }) => [message, cause])).toEqual([
      ['The evaluator broken failed: no key', thrown],
      ['The evaluator odd failed: 5', 5],
    ]);
  });

  it.each([[''], ['  '], [5], [{}]])('refuses the version %j', (version) => {
    const evaluator = Object.assign(() => 1, { version }) as unknown as Evaluator;
    expect(() => nameEvaluators({ it: evaluator })).toThrow('evaluators.it.version must be a text');
  });

  it('keeps the scores of the others when one fails', async () => {
    const { scores, errors } = await applyAll({
      one: () => 1,
      broken: () => {
        throw new Error('no');
      },
      two: async () => 2,
    });
    expect(scores).toEqual([
      { name: 'one', score: 1 },
      { name: 'two', score: 2 },
    ]);
    expect(errors).toHaveLength(1);
  });

  it('adds no error to a call that threw, and omits the score', async () => {
    const broken = {
      broken: () => {
        throw new Error('no output');
      },
      fine: () => true,
    };
    expect(await applyAll(broken, { ...FAILED, verdict: 'error' })).toEqual({
      scores: [{ name: 'fine', score: true }],
      errors: [],
    });
    expect(await applyAll(broken, { ...FAILED, verdict: 'same' })).toEqual({
      scores: [
        { name: 'broken', score: null },
        { name: 'fine', score: true },
      ],
      errors: [],
    });
    const threwNothing = { output: undefined, error: undefined, verdict: 'error' } as const;
    expect((await applyAll(broken, threwNothing)).errors).toEqual([]);
  });

  it('names them by key, function or position', async () => {
    function helpful(): number {
      return 1;
    }
    expect([...nameEvaluators([helpful, exact(), () => 1]).keys()]).toEqual([
      'helpful',
      'exact',
      'evaluator 3',
    ]);
    expect([...nameEvaluators({ good: helpful }).keys()]).toEqual(['good']);
    expect(nameEvaluators([]).size).toBe(0);
  });

  it('refuses duplicate names and non-functions', () => {
    expect(() => nameEvaluators([exact(), exact()])).toThrow(
      'evaluators has two with the name exact. Pass a record, { first: …, second: … }, to name them yourself.',
    );
    expect(() => nameEvaluators({ broken: 'exact' as never })).toThrow(
      'evaluators.broken must be a function, not "exact". A factory such as exact() creates one.',
    );
  });

  it('is typed by the function that is evaluated', () => {
    const evaluators: Record<string, Evaluator<[string], { label: string }>> = {
      short: ({ input, output }) => input.length > output.label.length,
      exact: exact(),
      judged: judge<[string], { label: string }>({ name: 'j', ask: ({ output }) => output.label.length }),
    };
    expect(nameEvaluators(evaluators).size).toBe(3);
  });
});

describe('EvaluatorFailedError', () => {
  it('names the evaluator', () => {
    expect(new EvaluatorFailedError('exact', 'failed: no').message).toBe('The evaluator exact failed: no');
  });
});
