import type { Prompt } from './prompt.js';
import { sharedStems, stemsOf } from './words.js';

const DEFAULT_SENTENCES = 4;
const NOTHING_FOUND = 'I found nothing about this; a colleague will look into it.';

/**
 * Puts an answer together from the sentences of the findings that come nearest to the question, in their order: those
 * with at least half as many words of it as the best has.
 *
 * It keeps to instructions of the form "Write at most <n> sentences", "Greet the customer by name" and "Sign as <name>".
 */
export function writeAnswer({ instructions, question, findings }: Prompt): string {
  const most = Number(/at most (\d+) sentence/i.exec(instructions)?.[1] ?? DEFAULT_SENTENCES);
  const customer = /^Customer: (.+)$/m.exec(question)?.[1];
  const signature = /\bsign as ([^.\n]+)/i.exec(instructions)?.[1];
  const chosen = nearestSentences(findings.flatMap(sentencesOf), question, most);
  return [
    ...(/\bgreet\b/i.test(instructions) && customer !== undefined ? [`Hello ${customer},`] : []),
    chosen.length === 0 ? NOTHING_FOUND : chosen.join(' '),
    ...(signature === undefined ? [] : [signature]),
  ].join('\n');
}

function nearestSentences(sentences: readonly string[], question: string, most: number): string[] {
  const asked = stemsOf(question);
  const scored = [...new Set(sentences)].map((sentence, position) => ({
    sentence,
    position,
    score: sharedStems(stemsOf(sentence), asked),
  }));
  const nearEnough = Math.max(1, ...scored.map(({ score }) => score / 2));
  const best = scored
    .filter(({ score }) => score >= nearEnough)
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, most);
  return best.sort((a, b) => a.position - b.position).map(({ sentence }) => sentence);
}

/** Sentences of a tool's result, which is JSON or plain text. */
function sentencesOf(finding: string): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(finding);
  } catch {
    parsed = finding;
  }
  return textsOf(parsed)
    .flatMap((text) => text.split(/\n{2,}/))
    .filter((paragraph) => !/^(?:#|```|\|)/.test(paragraph))
    .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').match(/[A-Z].*?[.!?](?=\s|$)/g) ?? []);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
