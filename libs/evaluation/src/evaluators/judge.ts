import { type Evaluation, type Evaluator, type EvaluatorContext, named, varying } from './evaluator.js';
import { ChoiceReader, type ReadChoice } from './read-choice.js';
import { toText } from './text.js';

export interface JudgeOptions<A extends unknown[], R> {
  /** The name of its scores. */
  name: string;
  /**
   * Asks the judge: a native function by `tracer.call`, an SDK, a person. Returns what an evaluator returns, or one of `choices`, as text
   * or as `choice`, `verdict`, `label` or `score` of an object.
   */
  ask: (context: EvaluatorContext<A, R>) => unknown;
  /**
   * The score of each answer: `{ correct: 1, incomplete: 0.5, wrong: 0 }`. Case, quotation marks, Markdown, punctuation and an
   * explanation after the choice are ignored.
   */
  choices?: Readonly<Record<string, number | boolean | null>>;
  /** What its answers depend on: see `Evaluator.version`. `choices` and the source text of `ask` are added automatically. */
  version?: string;
}

/**
 * An evaluator that asks a language model or a person. The score's label is the choice as written in `choices`. An answer that matches no
 * choice, or two of them, makes the item an error (`JudgeAnswerError`).
 *
 * @throws InvalidArgumentError when `choices` is empty, or two choices differ only by case or white space
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
    // A prompt is often written inside `ask`.
    const dependsOn = [version, Object.entries(choices ?? {}), String(ask)];
    Object.assign(evaluator, { version: version.trim() === '' ? version : JSON.stringify(dependsOn) });
  }
  return varying(evaluator);
}

/** @throws JudgeAnswerError */
export function readAnswer(reader: ChoiceReader, answer: unknown): ReadChoice {
  if (typeof answer !== 'object' || answer === null) return reader.read(toText(answer));
  const fields = answer as Record<string, unknown>;
  const read = reader.read(
    toText(fields['choice'] ?? fields['verdict'] ?? fields['label'] ?? fields['score']),
  );
  const explanation = [fields['explanation'], fields['rationale'], fields['reason']].find(
    (text) => typeof text === 'string',
  );
  return { ...read, ...(explanation !== undefined && { explanation }) };
}
