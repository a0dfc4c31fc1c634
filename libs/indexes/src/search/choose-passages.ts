import type { ContextExpansion, GetContextRequest } from '@dacapo/protocol';
import type { StoredSection } from '../sections.js';

const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

export interface Passage {
  indexId: string;
  /** The first section of the passage. */
  section: StoredSection;
  score: number;
  content: string;
}

/**
 * Takes the best passages up to a number and a token budget, but at least one, with the sections around them as far as these fit. No
 * section and no equal text comes twice.
 *
 * @param ranked best first
 * @param readPage returns all sections of the passage's document in order
 */
export async function choosePassages(
  ranked: readonly Passage[],
  { limit, max_tokens: budget = Infinity, expand }: GetContextRequest & { limit: number },
  readPage: (passage: Passage) => Promise<StoredSection[]>,
): Promise<Passage[]> {
  const chosen: Passage[] = [];
  const taken = new Set<string>();
  const seen = new Set<string>();
  let left = budget;
  for (const passage of ranked) {
    if (chosen.length === limit || left <= 0) break;
    const text = fingerprint(passage);
    if (taken.has(sectionKey(passage, passage.section)) || seen.has(text)) continue;
    seen.add(text);
    const page = expand === undefined ? [passage.section] : await readPage(passage);
    const around = surroundings(page, passage.section, expand).filter(
      (section) => !taken.has(sectionKey(passage, section)),
    );
    const sections = withinBudget(around, passage.section, left);
    const content = joinSections(sections);
    if (chosen.length > 0 && estimateTokens(content) > left) break;
    left -= estimateTokens(content);
    for (const section of sections) taken.add(sectionKey(passage, section));
    chosen.push({ ...passage, section: sections[0] ?? passage.section, content });
  }
  return chosen;
}

function sectionKey({ indexId }: Passage, { section_no }: StoredSection): string {
  return `${indexId} ${section_no}`;
}

/** Heading and text without white space. */
function fingerprint({ section: { title, content } }: Passage): string {
  return `${title.split(' › ').at(-1) ?? ''} ${content}`.replace(/\s+/g, '');
}

function surroundings(
  page: readonly StoredSection[],
  found: StoredSection,
  expand: ContextExpansion | undefined,
): StoredSection[] {
  const at = page.findIndex(({ section_no }) => section_no === found.section_no);
  if (expand === undefined || at < 0) return [found];
  return expand === 'page' ? [...page] : page.slice(Math.max(0, at - 1), at + 2);
}

/** Adds sections after and before the found one in turn, as long as they fit. */
function withinBudget(
  sections: readonly StoredSection[],
  found: StoredSection,
  budget: number,
): StoredSection[] {
  const at = sections.findIndex(({ section_no }) => section_no === found.section_no);
  let [first, last] = [at, at];
  let left = budget - estimateTokens(found.content);
  let hasGrown = true;
  while (hasGrown) {
    hasGrown = false;
    for (const next of [last + 1, first - 1]) {
      const section = sections[next];
      const size =
        section === undefined ? Infinity : estimateTokens(`${section.title}\n${section.content}\n`);
      if (section === undefined || size > left) continue;
      left -= size;
      [first, last] = [Math.min(first, next), Math.max(last, next)];
      hasGrown = true;
    }
  }
  return sections.slice(first, last + 1);
}

/** Joins sections, with a heading where it changes. */
function joinSections(sections: readonly StoredSection[]): string {
  return sections
    .map(({ title, content }, at) => {
      const above = sections[at - 1]?.title;
      if (above === undefined || above === title) return content;
      return `### ${title.split(' › ').at(-1) ?? title}\n\n${content}`;
    })
    .join('\n\n');
}

/** Estimates one token for four characters, or for one character in scripts without spaces between words. */
function estimateTokens(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  return unspaced + Math.ceil((text.length - unspaced) / 4);
}
