import type { Prompt } from './prompt.js';
import { sharedStems, readStems } from './words.js';

const DEFAULT_SENTENCES = 4;
const NOTHING_FOUND = 'I found nothing about this; a colleague will look into it.';

/**
 * Writes an answer from the sentences in the findings that are closest to the question, in their original order. A sentence
 * needs at least half as many words of the question as the best one.
 *
 * Follows the instructions "Write at most <n> sentences", "Greet the customer by name" and "Sign as <name>".
 */
export function writeAnswer({ instructions, question, findings }: Prompt): string {
  const most = Number(/at most (\d+) sentence/i.exec(instructions)?.[1] ?? DEFAULT_SENTENCES);
  const customer = /^Customer: (.+)$/m.exec(question)?.[1];
  const signature = /\bsign as ([^.\n]+)/i.exec(instructions)?.[1];
  const chosen = nearestSentences(findings.flatMap(splitSentences), question, most);
  return [
    ...(/\bgreet\b/i.test(instructions) && customer !== undefined ? [`Hello ${customer},`] : []),
    chosen.length === 0 ? NOTHING_FOUND : chosen.join(' '),
    ...(signature === undefined ? [] : [signature]),
  ].join('\n');
}

function nearestSentences(sentences: readonly string[], question: string, most: number): string[] {
  const stems = readStems(question);
  const scored = [...new Set(sentences)].map((sentence, position) => ({
    sentence,
    position,
    score: sharedStems(readStems(sentence), stems),
  }));
  const nearEnough = Math.max(1, ...scored.map(({ score }) => score / 2));
  const best = scored
    .filter(({ score }) => score >= nearEnough)
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, most);
  return best.sort((a, b) => a.position - b.position).map(({ sentence }) => sentence);
}

/** Sentences in a tool result, which is JSON or plain text. */
function splitSentences(finding: string): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(finding);
  } catch {
    parsed = finding;
  }
  return collectTexts(parsed)
    .flatMap((text) => text.split(/\n{2,}/))
    .filter((paragraph) => !/^(?:#|```|\|)/.test(paragraph))
    .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').match(/[A-Z].*?[.!?](?=\s|$)/g) ?? []);
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : [];
}
