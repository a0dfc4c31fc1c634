import { InvalidArgumentError } from '../errors.js';
import { type Evaluation, type Evaluator, type EvaluatorContext, named, varying } from './evaluator.js';
import { textOf } from './text.js';

export interface JudgeOptions<A extends unknown[], R> {
  /** Under which name its scores appear. */
  name: string;
  /**
   * Asks whoever judges: a native function by `tracer.call`, an SDK, a person. It answers as an evaluator does, or with
   * one of `choices`, as text or as an object's `choice`, `verdict`, `label` or `score`.
   */
  ask: (context: EvaluatorContext<A, R>) => unknown;
  /** What each answer counts: `{ correct: 1, incomplete: 0.5, wrong: 0 }`. Case and white space around do not matter. */
  choices?: Readonly<Record<string, number | boolean | null>>;
}

/**
 * An evaluator that asks a language model, or anyone else. An answer that is none of the choices is an error of the
 * item: a judge that did not understand has not judged.
 */
export function judge<A extends unknown[] = unknown[], R = unknown>({
  name,
  ask,
  choices,
}: JudgeOptions<A, R>): Evaluator<A, R> {
  const byName = new Map(Object.entries(choices ?? {}).map(([choice, score]) => [normal(choice), score]));
  const evaluator = named<A, R>(name, async (context): Promise<Evaluation> => {
    const answer = await ask(context);
    if (choices === undefined || answer === null) return answer as Evaluation;
    const choice = choiceOf(answer);
    const score = byName.get(normal(choice));
    if (score === undefined)
      throw new InvalidArgumentError(
        'choice',
        `must be one of ${Object.keys(choices).join(', ')}, not ${choice.slice(0, 200)}`,
        'Name the choices in the prompt, or add this one.',
      );
    const explanation = explanationOf(answer);
    return { score, label: choice.trim(), ...(explanation !== undefined && { explanation }) };
  });
  return varying(evaluator);
}

function choiceOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return textOf(answer);
  const fields = answer as Record<string, unknown>;
  return textOf(fields['choice'] ?? fields['verdict'] ?? fields['label'] ?? fields['score']);
}

function explanationOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const fields = answer as Record<string, unknown>;
  return [fields['explanation'], fields['rationale'], fields['reason']].find(
    (text) => typeof text === 'string',
  );
}

function normal(choice: string): string {
  return choice.trim().toLowerCase();
}
