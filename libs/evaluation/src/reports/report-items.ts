import type { ReportItem, RunReport } from '../run/run-report.js';
import { scoreToNumber } from '../run/score.js';
import { changeKey, scoreDrop, rowKind, ROW_KINDS } from './rows.js';

/** Kept only for the worst items. */
export type ItemDetails = Partial<
  Pick<ReportItem, 'diff' | 'error' | 'texts' | 'scores' | 'sourceTraceId' | 'traceId' | 'originalDurationMs'>
> &
  Pick<ReportItem, 'divergences'>;

/** The item without its details. */
export type ItemOutline = Omit<ReportItem, keyof ItemDetails | 'change' | 'url'>;

export interface ReportItemsParts {
  /** Hashes a text to a short one. */
  readonly hash: (text: string) => string;
  /** Scores that the gate limits; details of their lowest items and largest drops are kept. `undefined`: every score. */
  readonly limited: ReadonlySet<string> | undefined;
}

const MOST_DETAILED = 200;
/** Items with details per kind of change. */
const MOST_ALIKE = 3;
const MOST_OF_A_SCORE = 10;
const MOST_SCORES = 20;
const NOTHING_INSIDE: ReportItem['divergences'] = [];

/** Kept for every item: few fields in a fixed order, because a run may have many items. */
class Outline {
  readonly itemNo: number;
  readonly verdict: ReportItem['verdict'];
  readonly name: string | undefined;
  /** The tally holds the same string, so this needs no extra memory. */
  readonly sourceSpanId: string | undefined;
  readonly durationMs: number | undefined;
  readonly repetition: number | undefined;
  /** Only for items to look at. */
  more: Pick<ReportItem, 'fixed' | 'newError' | 'change' | 'divergences'> | undefined;

  constructor({ itemNo, verdict, name, sourceSpanId, durationMs, repetition }: ItemOutline) {
    this.itemNo = itemNo;
    this.verdict = verdict;
    this.name = name;
    this.sourceSpanId = sourceSpanId;
    this.durationMs = durationMs;
    this.repetition = repetition;
  }

  /** @param name to show */
  toItem(name: string | undefined, details: ItemDetails | undefined): ReportItem {
    const { itemNo, verdict, sourceSpanId, durationMs, repetition, more } = this;
    return {
      itemNo,
      verdict,
      divergences: NOTHING_INSIDE,
      ...(name !== undefined && { name }),
      ...(sourceSpanId !== undefined && { sourceSpanId }),
      ...(durationMs !== undefined && { durationMs }),
      ...(repetition !== undefined && { repetition }),
      ...more,
      ...details,
    };
  }
}

interface Kept {
  readonly outline: Outline;
  readonly details: ItemDetails;
  readonly rank: number;
}

/** Collects the items of a report: all with name and verdict, the worst with values. Memory is bounded. */
export class ReportItems {
  readonly #outlines: Outline[] = [];
  readonly #worst = new Ranking(MOST_DETAILED);
  readonly #lowest = new Map<string, Ranking>();
  readonly #drops = new Map<string, Ranking>();
  readonly #alike = new Map<string, number>();

  constructor(private readonly parts: ReportItemsParts) {}

  /** @param details masked and cut; called synchronously, and only for items that may be shown */
  add(
    outline: ItemOutline,
    known: Pick<ReportItem, 'divergences' | 'scores'>,
    details: () => ItemDetails,
  ): void {
    const kept = new Outline(outline);
    this.#outlines.push(kept);
    const item: ReportItem = { ...outline, ...known };
    const kind = rowKind(item, this.parts.limited);
    const fall = Math.max(0, ...(known.scores ?? []).map(scoreDrop));
    if (kind === 'unchanged' && !this.#ranksByScore(item)) return;
    const entry: Kept = {
      outline: kept,
      details: details(),
      rank: ROW_KINDS.indexOf(kind) - fall / (1 + fall),
    };
    const key = kind === 'lowerScore' ? undefined : changeKey({ ...outline, ...entry.details });
    const change = key === undefined ? undefined : this.parts.hash(key);
    const { fixed, newError } = outline;
    kept.more = {
      divergences: known.divergences.map(({ kind: of, path }) => ({ kind: of, path })),
      ...(fixed && { fixed }),
      ...(newError && { newError }),
      ...(change !== undefined && { change }),
    };
    if (kind !== 'unchanged' && this.#isFewAlike(change)) this.#worst.offer(entry);
    this.#offerByScore(entry, known.scores ?? []);
  }

  /**
   * Items in the order of the selection. Equal names get a number.
   *
   * @param names by item number, for items added before their name was known
   */
  items(names: ReadonlyMap<number, string>): RunReport['items'] {
    const detailed = new Map<Outline, ItemDetails>();
    for (const ranking of [this.#worst, ...this.#lowest.values(), ...this.#drops.values()])
      for (const { outline, details } of ranking.entries) detailed.set(outline, details);
    const ordered = [...this.#outlines].sort(
      (a, b) => a.itemNo - b.itemNo || (a.repetition ?? 0) - (b.repetition ?? 0),
    );
    const numbers = new Map<string, Map<number, number>>();
    return ordered.map((outline) => {
      const { itemNo } = outline;
      const details = detailed.get(outline);
      const name = names.get(itemNo) ?? outline.name;
      if (name === undefined) return outline.toItem(undefined, details);
      const others = numbers.get(name) ?? new Map<number, number>();
      numbers.set(name, others);
      const number = others.get(itemNo) ?? others.size + 1;
      others.set(itemNo, number);
      return outline.toItem(number === 1 ? name : `${name} (${number})`, details);
    });
  }

  #isFewAlike(change: string | undefined): boolean {
    if (change === undefined) return true;
    const count = (this.#alike.get(change) ?? 0) + 1;
    this.#alike.set(change, count);
    return count <= MOST_ALIKE;
  }

  #ranksByScore({ scores = [] }: ReportItem): boolean {
    return scores.some((score) => {
      const { candidate = null } = score;
      const number = scoreToNumber({ score: candidate });
      const lowest = this.#openRanking(this.#lowest, score.name);
      const drops = this.#openRanking(this.#drops, score.name);
      return (
        (number !== undefined && lowest?.hasRoomFor(number) === true) ||
        (scoreDrop(score) > 0 && drops?.hasRoomFor(-scoreDrop(score)) === true)
      );
    });
  }

  #offerByScore(entry: Kept, scores: NonNullable<ReportItem['scores']>): void {
    for (const score of scores) {
      const number = scoreToNumber({ score: score.candidate ?? null });
      const fall = scoreDrop(score);
      if (number !== undefined)
        this.#openRanking(this.#lowest, score.name)?.offer({ ...entry, rank: number });
      if (fall > 0) this.#openRanking(this.#drops, score.name)?.offer({ ...entry, rank: -fall });
    }
  }

  #openRanking(rankings: Map<string, Ranking>, name: string): Ranking | undefined {
    const { limited } = this.parts;
    const known = rankings.get(name);
    if (known !== undefined) return known;
    if (limited === undefined ? rankings.size >= MOST_SCORES : !limited.has(name)) return undefined;
    const ranking = new Ranking(MOST_OF_A_SCORE);
    rankings.set(name, ranking);
    return ranking;
  }
}

/** Keeps the entries with the lowest ranks; at equal rank, the earlier ones. */
class Ranking {
  readonly entries: Kept[] = [];

  constructor(private readonly most: number) {}

  hasRoomFor(rank: number): boolean {
    const last = this.entries.at(-1);
    return this.entries.length < this.most || (last !== undefined && rank < last.rank);
  }

  offer(entry: Kept): void {
    if (!this.hasRoomFor(entry.rank)) return;
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle]?.rank ?? 0) <= entry.rank) low = middle + 1;
      else high = middle;
    }
    this.entries.splice(low, 0, entry);
    if (this.entries.length > this.most) this.entries.pop();
  }
}
