import type { Classification } from '../classification/classification.js';
import { LABELS } from './labels.js';

interface ScoredCall {
  readonly input: unknown;
  readonly output: Classification;
}

/** Whether the category equals the label that a person chose; `null` for messages without a label. */
export function category({ input, output }: ScoredCall): boolean | null {
  const label = findLabel(input);
  return label && output.category === label.category;
}

/** The same for the priority. */
export function priority({ input, output }: ScoredCall): boolean | null {
  const label = findLabel(input);
  return label && output.priority === label.priority;
}

function findLabel(message: unknown): Classification | null {
  return LABELS[String(message)] ?? null;
}
