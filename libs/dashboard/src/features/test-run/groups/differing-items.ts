import type { TestRunItemRecord } from '@dacapo/protocol';
import { differs } from './group-changes.js';

/** Calls that are grouped at most: each is loaded with its payloads. */
const MOST_GROUPED = 400;
const MOST_PAGES = 20;

export interface DifferingItems {
  items: TestRunItemRecord[];
  /** Whether the run may have more. */
  isCut: boolean;
}

interface ItemPage {
  items: readonly TestRunItemRecord[];
  next_cursor?: string;
}

/** Collects the items that differ from their baseline. @param loadPage loads a page of the run's items, worst first */
export async function collectDiffering(
  loadPage: (cursor: string | undefined) => Promise<ItemPage>,
): Promise<DifferingItems> {
  const items: TestRunItemRecord[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && items.length < MOST_GROUPED; pages += 1) {
    const page = await loadPage(cursor);
    items.push(...page.items.filter(differs));
    cursor = page.next_cursor;
    // Lower scores come before calls that cannot be compared or have other inner calls.
    const mayDifferLater = page.items.some((item) => differs(item) || hasOtherScore(item));
    if (cursor === undefined || !mayDifferLater) return { items, isCut: false };
  }
  return { items, isCut: true };
}

function hasOtherScore({ scores = [], original_scores: originals = [] }: TestRunItemRecord): boolean {
  return scores.some(({ name, value }) =>
    originals.some((original) => original.name === name && original.value !== value),
  );
}
