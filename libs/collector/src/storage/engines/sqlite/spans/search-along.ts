import type { TextSearch } from './text-search.js';
import type { Entry } from './trace-walk.js';

/** An entry of a list with its number of spans. */
export interface SizedEntry extends Entry {
  span_count: number;
}

/** A page is usually found among this many traces. */
const TRACES_AT_FIRST = 40;

/** Spans that are looked up in the index together. */
const SPANS_AT_FIRST = 800;
const SPANS_AT_ONCE = 10_000;

/** The maximum of lookups in a search. On a quiet machine, each takes a tenth of a millisecond. */
const LOOKUPS = 400;

/**
 * Searches traces for a text in the order of the list. Takes more traces at a time while lookups are cheap.
 *
 * @returns the first matching traces, and where the search stopped if it stopped early
 */
export async function searchAlong(
  search: TextSearch,
  next: (after: Entry | undefined, count: number) => Promise<SizedEntry[]>,
  after: Entry | undefined,
  { limit, lookedThrough }: { limit: number; lookedThrough: number },
): Promise<{ found: Entry[]; lookedUntil?: Entry }> {
  const found: Entry[] = [];
  let [place, seen, seenSpans] = [after, 0, 0];
  let count = Math.max(TRACES_AT_FIRST, limit + Math.ceil(limit / 4)) * (search.isBeginning ? 4 : 1);
  let mostSpans = search.isBeginning ? SPANS_AT_ONCE : SPANS_AT_FIRST;
  for (;;) {
    const entries = await next(place, count);
    if (entries.length === 0) return { found };
    const looked = withinSpans(entries, mostSpans);
    const have = await search.among(looked.map(({ trace_id: id }) => id));
    found.push(...looked.filter(({ trace_id: id }) => have.has(id)));
    place = looked.at(-1) ?? place;
    if (found.length >= limit) return { found: found.slice(0, limit) };
    if (looked.length === entries.length && entries.length < count) return { found };
    seen += looked.length;
    seenSpans += looked.reduce((sum, { span_count: spans }) => sum + spans, 0);
    if ((seen >= lookedThrough || search.lookups >= LOOKUPS) && place) return { found, lookedUntil: place };
    count = Math.min(2 * count, lookedThrough);
    const perLookup = seenSpans / Math.max(1, search.lookups);
    mostSpans = Math.min(SPANS_AT_ONCE, (LOOKUPS - search.lookups) * perLookup);
  }
}

/** The first entries within a number of spans, but at least one. */
function withinSpans(entries: readonly SizedEntry[], most: number): SizedEntry[] {
  let spans = 0;
  return entries.filter(({ span_count: own }, index) => {
    spans += own;
    return index === 0 || spans <= most;
  });
}
