import { GENERAL_KNOWLEDGE, NEUTRAL_LABELS } from './general-knowledge.js';
import { stemsOf } from './words.js';

/**
 * The label that shares most words with the text. What a label means is in the instructions, on a line
 * `- label: its words`; beyond that there is general knowledge, which is little. Words that every label has tell
 * nothing. The first of equals wins.
 */
export function chooseLabel(labels: readonly string[], text: string, instructions: string): string {
  const asked = stemsOf(text);
  const meanings = labels.map((label) => stemsOf(meaningOf(label, instructions)));
  const scored = labels.map((label, index) => {
    const telling = [...(meanings[index] ?? [])].filter(
      (word) => !meanings.every((meaning) => meaning.has(word)),
    );
    return { label, score: telling.filter((word) => asked.has(word)).length };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  if (best.score > 0) return best.label;
  return labels.find((label) => NEUTRAL_LABELS.includes(label)) ?? best.label;
}

function meaningOf(label: string, instructions: string): string {
  const words = label.toLowerCase().split(/\W+/);
  const known = words.map((word) => GENERAL_KNOWLEDGE[word] ?? '').join(' ');
  const described = new RegExp(`^\\s*[-*]\\s*"?${escape(label)}"?:(.*)$`, 'im').exec(instructions)?.[1];
  return `${label} ${known} ${described ?? ''}`;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
