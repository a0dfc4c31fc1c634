import type { Evaluation, EvaluatorContext } from './evaluator.js';
import { type ComparedAnswers, pairwise, type PairwiseOptions } from './pairwise.js';

type Comparison = ComparedAnswers<unknown[], unknown>;

const makeContext = (changes: Partial<EvaluatorContext>): EvaluatorContext => ({
  input: 'question',
  args: ['question'],
  output: 'new',
  baseline: { output: 'old' },
  verdict: 'changed',
  divergences: [],
  durationMs: 1,
  calls: () => [],
  metadata: {},
  ...changes,
});

const compare = async (
  ask: (comparison: Comparison) => unknown,
  changes: Partial<EvaluatorContext> = {},
  options: Partial<PairwiseOptions<unknown[], unknown>> = {},
): Promise<Evaluation> => pairwise({ name: 'better', ask, ...options })(makeContext(changes));

const prefers =
  (output: unknown) =>
  ({ first }: Comparison): string =>
    first === output ? 'first' : 'second';

describe('pairwise', () => {
  it('asks in both orders', async () => {
    const comparison: unknown[] = [];
    await compare(({ first, second, context }) => {
      comparison.push([first, second, context.input]);
      return 'tie';
    });
    expect(comparison).toEqual([
      ['new', 'old', 'question'],
      ['old', 'new', 'question'],
    ]);
  });

  it.each([
    ['new', 1, 'candidate'],
    ['old', 0, 'baseline'],
  ])('scores a judge that prefers the %s answer in both orders', async (output, score, winner) => {
    expect(await compare(prefers(output))).toEqual({
      score,
      label: winner,
      metadata: { candidateFirst: winner, baselineFirst: winner, positionBias: 0 },
    });
  });

  it.each(['first', 'second'])('counts position bias where the %s answer always wins', async (position) => {
    const [candidateFirst, baselineFirst] =
      position === 'first' ? ['candidate', 'baseline'] : ['baseline', 'candidate'];
    expect(await compare(() => position)).toEqual({
      score: 0.5,
      label: 'tie',
      metadata: { candidateFirst, baselineFirst, positionBias: 1 },
    });
  });

  it('is a tie when the judge sees one in either order', async () => {
    expect(await compare(() => 'tie')).toMatchObject({ score: 0.5, metadata: { positionBias: 0 } });
    const once = ({ first }: Comparison): string => (first === 'new' ? 'first' : 'tie');
    expect(await compare(once)).toMatchObject({ score: 0.5, label: 'tie', metadata: { positionBias: 0 } });
  });

  it('does not ask about equal outputs, so that the baseline is a tie with itself', async () => {
    const never = (): never => {
      throw new Error('asked');
    };
    const same = { output: { a: [1] }, baseline: { output: { a: [1] } } };
    expect(await compare(never, same)).toEqual({ score: 0.5, label: 'tie' });
  });

  it.each<[string, Partial<EvaluatorContext>, Evaluation]>([
    [
      'a candidate that failed',
      { error: new Error('no'), output: undefined },
      { score: 0, label: 'baseline' },
    ],
    ['a baseline that failed', { baseline: { error: new Error('no') } }, { score: 1, label: 'candidate' }],
    ['two that failed', { error: new Error('a'), baseline: { error: new Error('b') } }, null],
  ])('decides on %s without asking', async (_, changes, evaluation) => {
    expect(await compare(() => 'maybe', changes)).toEqual(evaluation);
  });

  it('does not apply without a baseline, or when the judge returns null', async () => {
    const { baseline, ...alone } = makeContext({});
    expect(baseline).toBeDefined();
    expect(await pairwise({ name: 'better', ask: () => 'first' })(alone)).toBeNull();
    expect(await compare(({ first }) => (first === 'new' ? null : 'first'))).toBeNull();
  });

  it('accepts custom words, and reads the reason', async () => {
    const choices = { first: 'A', second: 'B', tie: 'C' };
    const ask = ({ first }: Comparison): object => ({
      choice: first === 'new' ? '**A**' : 'B.',
      reason: 'Shorter.',
    });
    expect(await compare(ask, {}, { choices })).toMatchObject({ score: 1, explanation: 'Shorter.' });
    await expect(compare(() => 'A or B', {}, { choices })).rejects.toThrow('expected one of: A, B, C');
    expect(() => pairwise({ name: 'n', ask: () => 1, choices: { ...choices, tie: 'A' } })).toThrow(
      'choices has the same word twice',
    );
  });
});
