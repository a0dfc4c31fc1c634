import { equal } from '@dacapo/protocol';
import { InvalidArgumentError } from '../errors.js';
import { nodeOf } from '../values/live-node.js';
import {
  type Evaluation,
  type Evaluator,
  type EvaluatorContext,
  type JudgedBaseline,
  named,
  varying,
} from './evaluator.js';
import { readAnswer } from './judge.js';
import { ChoiceReader, type ReadChoice } from './read-choice.js';

/** Two answers to compare, in the order in which the judge sees them. */
export interface ComparedAnswers<A extends unknown[], R> {
  first: R;
  second: R;
  /** What the evaluator gets. The prompt should not name the candidate: the judge would know which answer is new. */
  context: EvaluatorContext<A, R>;
}

export interface PairwiseOptions<A extends unknown[], R> {
  /** Under which name its scores appear. */
  name: string;
  /** Asks which answer is better. It is called twice for each item, with the answers swapped. It answers as `judge` reads. */
  ask: (answers: ComparedAnswers<A, R>) => unknown;
  /** The words for the three choices. Default: `first`, `second` and `tie`. */
  choices?: Readonly<Record<Position, string>>;
}

type Position = 'first' | 'second' | 'tie';
type Winner = 'candidate' | 'baseline' | 'tie';

const WORDS: Readonly<Record<Position, string>> = { first: 'first', second: 'second', tie: 'tie' };
const SCORES: Readonly<Record<Winner, number>> = { candidate: 1, tie: 0.5, baseline: 0 };

/**
 * An evaluator that asks which of two answers is better, the candidate's or the baseline's, once in each order. 1: the candidate's;
 * 0: the baseline's; 0.5: a tie, which is also what two answers that disagree make. The baseline itself scores 0.5 without being asked,
 * and so do equal outputs: the difference is the mean less 0.5.
 *
 * Of two sides where one failed, the other is better. It does not apply without a baseline whose whole output is known, and where
 * both failed. The score's `metadata` has what was said in each order (`candidateFirst`, `baselineFirst`) and `positionBias`: 1
 * where the judge preferred the same position both times, whatever stood there, else 0.
 *
 * @throws InvalidArgumentError when two choices have one word
 */
export function pairwise<A extends unknown[] = unknown[], R = unknown>({
  name,
  ask,
  choices = WORDS,
}: PairwiseOptions<A, R>): Evaluator<A, R> {
  const positions = new Map<string, Position>(
    (['first', 'second', 'tie'] as const).map((position) => [choices[position], position]),
  );
  if (positions.size < 3)
    throw new InvalidArgumentError(
      'choices',
      'names two of its three words alike',
      "Write it like { first: 'A', second: 'B', tie: 'C' }.",
    );
  const reader = new ChoiceReader([...positions.keys()]);
  const preferred = async (
    first: R,
    second: R,
    context: EvaluatorContext<A, R>,
  ): Promise<(Omit<ReadChoice, 'choice'> & { position: Position }) | undefined> => {
    const answer = await ask({ first, second, context });
    if (answer === null) return undefined;
    const { choice, ...said } = readAnswer(reader, answer);
    return { ...said, position: positions.get(choice) ?? 'tie' };
  };
  return varying(
    named<A, R>(name, async (context): Promise<Evaluation> => {
      const { baseline, output } = context;
      if (baseline === undefined) return null;
      const decided = decidedWithoutAsking(context, baseline);
      if (decided !== undefined) return decided === null ? null : { score: SCORES[decided], label: decided };
      const before = baseline.output as R;
      const [candidateFirst, baselineFirst] = await Promise.all([
        preferred(output, before, context),
        preferred(before, output, context),
      ]);
      if (candidateFirst === undefined || baselineFirst === undefined) return null;
      const winners = [
        winnerOf(candidateFirst.position, 'candidate', 'baseline'),
        winnerOf(baselineFirst.position, 'baseline', 'candidate'),
      ] as const;
      const winner = winners[0] === winners[1] ? winners[0] : 'tie';
      const isBiased =
        candidateFirst.position === baselineFirst.position && candidateFirst.position !== 'tie';
      const explanation = candidateFirst.explanation ?? baselineFirst.explanation;
      return {
        score: SCORES[winner],
        label: winner,
        ...(explanation !== undefined && { explanation }),
        metadata: {
          candidateFirst: winners[0],
          baselineFirst: winners[1],
          positionBias: isBiased ? 1 : 0,
        },
      };
    }),
  );
}

/** `null`: it does not apply. */
function decidedWithoutAsking<A extends unknown[], R>(
  context: EvaluatorContext<A, R>,
  baseline: JudgedBaseline<R>,
): Winner | null | undefined {
  const [hasFailed, hadFailed] = ['error' in context, 'error' in baseline];
  if (hasFailed && hadFailed) return null;
  if (hasFailed) return 'baseline';
  if (hadFailed) return 'candidate';
  return equal(nodeOf(context.output), nodeOf(baseline.output)) === 'equal' ? 'tie' : undefined;
}

function winnerOf(position: Position, first: Winner, second: Winner): Winner {
  if (position === 'tie') return 'tie';
  return position === 'first' ? first : second;
}
