import { type Evaluation, type Evaluator, type EvaluatorContext, named, varying } from './evaluator.js';
import { ChoiceReader, type ReadChoice } from './read-choice.js';
import { textOf } from './text.js';

export interface JudgeOptions<A extends unknown[], R> {
  /** Under which name its scores appear. */
  name: string;
  /**
   * Asks whoever judges: a native function by `tracer.call`, an SDK, a person. It answers as an evaluator does, or with
   * one of `choices`, as text or as an object's `choice`, `verdict`, `label` or `score`.
   */
  ask: (context: EvaluatorContext<A, R>) => unknown;
  /**
   * What each answer counts: `{ correct: 1, incomplete: 0.5, wrong: 0 }`. Case, quotation marks, Markdown, punctuation and an
   * explanation behind the choice do not matter.
   */
  choices?: Readonly<Record<string, number | boolean | null>>;
  /** What its answers depend on: see `Evaluator.version`. `choices` and the text of `ask` count without being named. */
  version?: string;
}

/**
 * An evaluator that asks a language model, or anyone else. The score's label is the choice as it is written in `choices`.
 * An answer that is none of the choices, or that could be two of them, is an error of the item (`JudgeAnswerError`): a judge that
 * did not understand has not judged.
 *
 * @throws InvalidArgumentError when `choices` is empty, or two choices differ by case or white space only
 */
export function judge<A extends unknown[] = unknown[], R = unknown>({
  name,
  ask,
  choices,
  version,
}: JudgeOptions<A, R>): Evaluator<A, R> {
  const reader = choices && new ChoiceReader(Object.keys(choices));
  const evaluator = named<A, R>(name, async (context): Promise<Evaluation> => {
    const answer = await ask(context);
    if (reader === undefined || choices === undefined || answer === null) return answer as Evaluation;
    const { choice, explanation } = readAnswer(reader, answer);
    return {
      score: choices[choice] ?? null,
      label: choice,
      ...(explanation !== undefined && { explanation }),
    };
  });
  if (version !== undefined) {
    // A changed prompt is often a changed text of `ask`.
    const dependsOn = [version, Object.entries(choices ?? {}), String(ask)];
    Object.assign(evaluator, { version: version.trim() === '' ? version : JSON.stringify(dependsOn) });
  }
  return varying(evaluator);
}

/** @throws JudgeAnswerError */
export function readAnswer(reader: ChoiceReader, answer: unknown): ReadChoice {
  if (typeof answer !== 'object' || answer === null) return reader.read(textOf(answer));
  const fields = answer as Record<string, unknown>;
  const read = reader.read(
    textOf(fields['choice'] ?? fields['verdict'] ?? fields['label'] ?? fields['score']),
  );
  const explanation = [fields['explanation'], fields['rationale'], fields['reason']].find(
    (text) => typeof text === 'string',
  );
  return { ...read, ...(explanation !== undefined && { explanation }) };
}
