import type { ContextExpansion } from '@dacapo/protocol';
import type { StoredSection } from '../../storage/index-store.js';

const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

export interface Passage {
  indexId: string;
  /** The section that it begins with. */
  section: StoredSection;
  score: number;
  content: string;
}

interface Wanted {
  limit: number;
  max_tokens?: number;
  expand?: ContextExpansion;
}

/**
 * Takes the best passages up to a number and a budget, always one, with the sections around them. No section comes twice, and none
 * that says the same as one of another index. A passage that does not fit with its surroundings comes without them.
 *
 * @param ranked the best first
 * @param pageOf all sections of the passage's document, in order
 */
export async function choosePassages(
  ranked: readonly Passage[],
  { limit, max_tokens: budget = Infinity, expand }: Wanted,
  pageOf: (passage: Passage) => Promise<StoredSection[]>,
): Promise<Passage[]> {
  const chosen: Passage[] = [];
  const taken = new Set<string>();
  const said = new Set<string>();
  let left = budget;
  for (const passage of ranked) {
    if (chosen.length === limit || left <= 0) break;
    const saying = sayingOf(passage);
    if (taken.has(keyOf(passage, passage.section)) || said.has(saying)) continue;
    said.add(saying);
    const page = expand === undefined ? [passage.section] : await pageOf(passage);
    const around = surroundings(page, passage.section, expand).filter(
      (section) => !taken.has(keyOf(passage, section)),
    );
    const sections = withinBudget(around, passage.section, left);
    const content = joined(sections);
    if (chosen.length > 0 && tokensOf(content) > left) break;
    left -= tokensOf(content);
    for (const section of sections) taken.add(keyOf(passage, section));
    chosen.push({ ...passage, section: sections[0] ?? passage.section, content });
  }
  return chosen;
}

function keyOf({ indexId }: Passage, { section_no }: StoredSection): string {
  return `${indexId} ${section_no}`;
}

/** Its heading and its text, without blanks. */
function sayingOf({ section: { title, content } }: Passage): string {
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

/** The longest stretch around what was found that fits: it grows after it and before it in turn. */
function withinBudget(
  sections: readonly StoredSection[],
  found: StoredSection,
  budget: number,
): StoredSection[] {
  const at = sections.findIndex(({ section_no }) => section_no === found.section_no);
  let [first, last] = [at, at];
  let left = budget - tokensOf(found.content);
  let hasGrown = true;
  while (hasGrown) {
    hasGrown = false;
    for (const next of [last + 1, first - 1]) {
      const section = sections[next];
      const size = section === undefined ? Infinity : tokensOf(`${section.title}\n${section.content}\n`);
      if (section === undefined || size > left) continue;
      left -= size;
      [first, last] = [Math.min(first, next), Math.max(last, next)];
      hasGrown = true;
    }
  }
  return sections.slice(first, last + 1);
}

/** One after another, each but the first under its heading, as far as that is another one. */
function joined(sections: readonly StoredSection[]): string {
  return sections
    .map(({ title, content }, at) => {
      const above = sections[at - 1]?.title;
      if (above === undefined || above === title) return content;
      return `### ${title.split(' › ').at(-1) ?? title}\n\n${content}`;
    })
    .join('\n\n');
}

/** About how many tokens a model makes of a text: one for four characters, one for each where words have no spaces. */
function tokensOf(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  return unspaced + Math.ceil((text.length - unspaced) / 4);
}
