import type { FunctionVersionSummary, MetricsItem } from '@dacapo/protocol';

/** What began at a moment: a release, or a version of a native function. */
export interface Mark {
  at: string;
  label: string;
}

/**
 * The releases that began among these hours or days of groups. One that was called in the first of them may have begun before, so it has
 * no mark.
 */
export function markReleases(items: readonly MetricsItem[]): Mark[] {
  const began = new Map<string, string>();
  let first: string | undefined;
  for (const { group, at } of items) {
    if (at === undefined) continue;
    if (first === undefined || at < first) first = at;
    if (typeof group !== 'string') continue;
    const known = began.get(group);
    if (known === undefined || at < known) began.set(group, at);
  }
  return [...began].flatMap(([release, at]) => (at === first ? [] : [{ at, label: `release ${release}` }]));
}

/** When calls began to run a version. */
export function markVersions(versions: readonly FunctionVersionSummary[]): Mark[] {
  return versions.flatMap(({ version, activated_at: times }) =>
    times.map((at) => ({ at, label: `version ${version}` })),
  );
}

/** The share of the period before a mark, from 0 to 1. Marks outside the period are dropped. */
export function placeMarks(
  marks: readonly Mark[],
  { since, until }: { since: string; until: string },
): (Mark & { share: number })[] {
  const [start, end] = [Date.parse(since), Date.parse(until)];
  return marks
    .map((mark) => ({ ...mark, share: (Date.parse(mark.at) - start) / (end - start) }))
    .filter(({ share }) => share >= 0 && share <= 1)
    .sort((left, right) => left.share - right.share);
}
