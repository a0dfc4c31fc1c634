import { equal } from '@dacapo/protocol';
import { InvalidArgumentError } from '../errors.js';
import { toNode } from '../values/live-node.js';
import {
  type Evaluation,
  type Evaluator,
  type EvaluatorContext,
  type EvaluatedBaseline,
  named,
  varying,
} from './evaluator.js';
import { readAnswer } from './judge.js';
import { ChoiceReader, type ReadChoice } from './read-choice.js';

/** Two answers to compare, in the order in which the judge sees them. */
export interface ComparedAnswers<A extends unknown[], R> {
  first: R;
  second: R;
  /** The evaluator's context. Do not name the candidate in the prompt: the judge must not know which answer is new. */
  context: EvaluatorContext<A, R>;
}

export interface PairwiseOptions<A extends unknown[], R> {
  /** The name of its scores. */
  name: string;
  /** Asks which answer is better. Called twice per item, with the answers swapped. Returns an answer as for `judge`. */
  ask: (answers: ComparedAnswers<A, R>) => unknown;
  /** The words for the three choices. Default: `first`, `second` and `tie`. */
  choices?: Readonly<Record<Position, string>>;
}

type Position = 'first' | 'second' | 'tie';
type Winner = 'candidate' | 'baseline' | 'tie';

const WORDS: Readonly<Record<Position, string>> = { first: 'first', second: 'second', tie: 'tie' };
const SCORES: Readonly<Record<Winner, number>> = { candidate: 1, tie: 0.5, baseline: 0 };

/**
 * An evaluator that asks in both orders whether the candidate's or the baseline's answer is better. 1: the candidate's; 0: the
 * baseline's; 0.5: a tie, or two answers that disagree. The baseline itself and equal outputs score 0.5 without asking, so the difference
 * is the mean minus 0.5.
 *
 * If one side failed, the other one is better. Does not apply when both failed, or when the baseline's whole output is not known. The
 * score's `metadata` has the winner of each order (`candidateFirst`, `baselineFirst`) and `positionBias`: 1 if the judge preferred the
 * same position both times, else 0.
 *
 * @throws InvalidArgumentError when two choices have the same word
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
      'has the same word twice',
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
    const { choice, ...rest } = readAnswer(reader, answer);
    return { ...rest, position: positions.get(choice) ?? 'tie' };
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
        pickWinner(candidateFirst.position, 'candidate', 'baseline'),
        pickWinner(baselineFirst.position, 'baseline', 'candidate'),
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
  baseline: EvaluatedBaseline<R>,
): Winner | null | undefined {
  const [hasFailed, hadFailed] = ['error' in context, 'error' in baseline];
  if (hasFailed && hadFailed) return null;
  if (hasFailed) return 'baseline';
  if (hadFailed) return 'candidate';
  return equal(toNode(context.output), toNode(baseline.output)) === 'equal' ? 'tie' : undefined;
}

function pickWinner(position: Position, first: Winner, second: Winner): Winner {
  if (position === 'tie') return 'tie';
  return position === 'first' ? first : second;
}
