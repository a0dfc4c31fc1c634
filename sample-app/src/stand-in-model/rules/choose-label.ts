import { GENERAL_KNOWLEDGE, NEUTRAL_LABELS } from './general-knowledge.js';
import { readStems } from './words.js';

/**
 * Chooses the label that shares the most words with the text. The words of a label come from general knowledge and from a
 * line `- label: its words` in the instructions. Words of all labels are ignored. The first of equally good labels wins.
 */
export function chooseLabel(labels: readonly string[], text: string, instructions: string): string {
  const stems = readStems(text);
  const meanings = labels.map((label) => readStems(describeLabel(label, instructions)));
  const scored = labels.map((label, index) => {
    const distinctive = [...(meanings[index] ?? [])].filter(
      (word) => !meanings.every((meaning) => meaning.has(word)),
    );
    return { label, score: distinctive.filter((word) => stems.has(word)).length };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  if (best.score > 0) return best.label;
  return labels.find((label) => NEUTRAL_LABELS.includes(label)) ?? best.label;
}

function describeLabel(label: string, instructions: string): string {
  const words = label.toLowerCase().split(/\W+/);
  const known = words.map((word) => GENERAL_KNOWLEDGE[word] ?? '').join(' ');
  const described = new RegExp(`^\\s*[-*]\\s*"?${escape(label)}"?:(.*)$`, 'im').exec(instructions)?.[1];
  return `${label} ${known} ${described ?? ''}`;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
