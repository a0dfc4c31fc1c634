import type { Classification } from '../classification/classification.js';
import { LABELS } from './labels.js';

interface Judged {
  readonly input: unknown;
  readonly output: Classification;
}

/** Whether the category is the one that people gave; says nothing of messages that nobody read. */
export function category({ input, output }: Judged): boolean | null {
  const label = labelOf(input);
  return label && output.category === label.category;
}

/** The same of the priority. */
export function priority({ input, output }: Judged): boolean | null {
  const label = labelOf(input);
  return label && output.priority === label.priority;
}

function labelOf(message: unknown): Classification | null {
  return LABELS[String(message)] ?? null;
}
