import {
  decide,
  type NamedScore,
  readBaselineOutcome,
  type RepetitionFacts,
  ReportItems,
  type RunReport,
  type RunSummary,
  RunTally,
  summarizeNoise,
  toHtml,
  toJUnit,
  toMarkdown,
} from '@dacapo/evaluation';
import type { NormalizedCalls, TestRunItemRecord, TestRunItemSummary, TestRunTotals } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import { sha256 } from '../hashing.js';
import type { ResolvedRunOptions } from '../options/run-options.js';
import { failuresByService, describeOtherCounts } from './one-decision.js';
import type { ReplayItem, ReplayResult } from '../replay-types.js';
import { type ShownItem, shownItem, shownSummary } from './shown-item.js';
import { storedFacts } from './stored-item.js';

/** The service's counts of a finished run, and the number of expected items, repetitions included. */
export interface CountedByService {
  readonly totals: TestRunTotals;
  readonly expected: number;
}

export interface RunResultsParts extends Pick<ResolvedRunOptions, 'keep' | 'gate' | 'repeat' | 'baseline'> {
  /** The number of replayed items. */
  readonly title: string;
  /** Masks values in reports. */
  readonly capturer: Capturer;
}

/** Adds up the results of a run's calls, and keeps the requested items. */
export class RunResults {
  readonly ran = new Map<string, number>();
  /** Model calls that ran although the recording should answer them, by key. */
  readonly unwrapped = new Map<string, number>();
  readonly warnings: string[] = [];
  /** How many calls have an outcome. */
  count = 0;

  private readonly normalized = new Map<string, NormalizedCalls>();
  private readonly tally = new RunTally();
  private readonly items: ReplayItem[] = [];
  private readonly shown: ReportItems;
  /** Items that were replayed before the run was resumed, by number. */
  private readonly names = new Map<number, string>();
  /** Items with unfinished repetitions. */
  private readonly begun = new Map<number, { left: number; kept: ReplayItem[] }>();
  private readonly stored = new Set<string>();

  constructor(private readonly parts: RunResultsParts) {
    const { gate } = parts;
    this.shown = new ReportItems({
      hash: (text) => sha256(text).slice(0, 16),
      limited: gate && new Set(Object.keys(gate.scores ?? {})),
    });
  }

  /** @param facts absent for an item that was replayed before the run was resumed */
  add(item: ReplayItem, { outline, known, details }: ShownItem, facts?: RepetitionFacts): void {
    this.count++;
    const { keep } = this.parts;
    this.shown.add(outline, known, details);
    this.tally.add({ ...item, scores: this.masked(item.scores) }, facts);
    for (const calls of item.normalized ?? []) this.addNormalized(calls);
    const isKept = keep === 'all' || (keep === 'failed' && hasFailed(item));
    if (isKept) this.items.push(item);
    this.markFlaky(item.itemNo, isKept ? item : undefined);
  }

  /** Adds an item that was replayed before the run was resumed; only its numbers are kept. */
  addStored(item: TestRunItemSummary): void {
    if (!this.isNew(item.item_no, item.repetition)) return;
    this.count++;
    this.tally.add(storedFacts(item));
    const { outline, known, details } = shownSummary(item);
    this.shown.add(outline, known, details);
    this.markFlaky(item.item_no, undefined);
  }

  /** Adds an item that was replayed before the run was resumed. */
  restore(item: ReplayItem, record: TestRunItemRecord): void {
    if (!this.isNew(item.itemNo, item.repetition)) return;
    const { input, meta } = record;
    const shown = shownItem(record, {
      capturer: this.parts.capturer,
      name: undefined,
      diff: item.diff,
      baseline: readBaselineOutcome(record),
      input: input && { json: input, meta: meta?.input },
    });
    this.add(item, shown);
  }

  /** Names an item that was replayed before the run was resumed: stored items have no name. */
  name(itemNo: number, name: string | undefined): void {
    if (name !== undefined) this.names.set(itemNo, name);
  }

  /** Whether it was replayed before the run was resumed. */
  isStored(itemNo: number, repetition: number): boolean {
    return this.stored.has(`${itemNo}/${repetition}`);
  }

  /** Skipped calls, by reason. */
  skip(skipped: Readonly<Record<string, number | undefined>>): void {
    for (const [reason, count = 0] of Object.entries(skipped)) this.tally.skip(reason, count);
  }

  /** Selected calls that were not replayed. */
  miss(count: number, warning: string): void {
    if (count === 0) return;
    this.tally.miss(count);
    this.warnings.push(warning);
  }

  /** Replayed calls that the service did not store. */
  lose(count: number, warning: string): void {
    if (count === 0) return;
    this.tally.lose(count);
    this.warnings.push(warning);
  }

  /** @param counted `undefined` if the service does not report it */
  result(
    run: Pick<ReplayResult, 'testRunId' | 'testRunUrl' | 'status'>,
    counted: CountedByService | undefined,
  ): ReplayResult {
    const { gate, title, baseline } = this.parts;
    const summary = this.tally.summarize(gate);
    const decision = gate && decide(summary, gate);
    const { items, changed, unknown } = summary.totals;
    const otherCounts = counted && describeOtherCounts(summary.totals, counted.totals);
    if (otherCounts !== undefined) this.warnings.push(otherCounts);
    if (this.unwrapped.size > 0) this.warnings.push(unwrappedModels(this.unwrapped));
    if (gate && decision?.passed && counted) {
      decision.failures.push(...failuresByService(gate, counted.totals, counted.expected));
      decision.passed = decision.failures.length === 0;
    }
    const result: ReplayResult = {
      ...run,
      ...summary,
      items: this.items.sort((a, b) => a.itemNo - b.itemNo || (a.repetition ?? 0) - (b.repetition ?? 0)),
      ...(baseline === 'self' && {
        noise: summarizeNoise(items, changed + unknown, this.tally.differences(), gate?.confidence),
      }),
      ranLive: Object.fromEntries(this.ran),
      normalized: [...this.normalized.values()],
      warnings: this.warnings,
      failures: decision?.failures ?? [],
      notes: decision?.notes ?? [],
      ...(decision && { passed: decision.passed, checks: decision.checks }),
      ...createReports(() => result, this.parts.capturer.maskText(title), summary, this.shown, this.names),
    };
    return result;
  }

  /** Text scores may contain what is masked in values. */
  private masked(scores: readonly NamedScore[]): NamedScore[] {
    const { capturer } = this.parts;
    return scores.map((score) =>
      typeof score.score === 'string' ? { ...score, score: capturer.maskText(score.score) } : score,
    );
  }

  private addNormalized({ key, calls, ambiguous }: NormalizedCalls): void {
    const before = this.normalized.get(key);
    this.normalized.set(key, {
      key,
      calls: calls + (before?.calls ?? 0),
      ambiguous: ambiguous + (before?.ambiguous ?? 0),
    });
  }

  /** Notes that it was replayed before. Pages of a growing list may contain it twice. */
  private isNew(itemNo: number, repetition = 0): boolean {
    const isNew = !this.isStored(itemNo, repetition);
    this.stored.add(`${itemNo}/${repetition}`);
    return isNew;
  }

  /** After the last repetition of an item, decides whether the repetitions agree. */
  private markFlaky(itemNo: number, kept: ReplayItem | undefined): void {
    const { repeat } = this.parts;
    if (repeat === 1) return;
    const begun = this.begun.get(itemNo) ?? { left: repeat, kept: [] };
    this.begun.set(itemNo, begun);
    begun.left--;
    if (kept !== undefined) begun.kept.push(kept);
    if (begun.left > 0) return;
    this.begun.delete(itemNo);
    if (this.tally.isFlaky(itemNo)) for (const item of begun.kept) item.flaky = true;
  }
}

/** The reports of a result. A separate function, so that they reference nothing else of the run. */
function createReports(
  getResult: () => ReplayResult,
  title: string,
  summary: RunSummary,
  shown: ReportItems,
  names: ReadonlyMap<number, string>,
): Pick<ReplayResult, 'report' | 'toMarkdown' | 'toHtml' | 'toJUnit'> {
  const report = (): RunReport => createReport(title, getResult(), summary, shown.items(names));
  return {
    report,
    toMarkdown: (options) => toMarkdown({ report }, options),
    toHtml: (options) => toHtml({ report }, options),
    toJUnit: (options) => toJUnit({ report }, options),
  };
}

/** The current result: the service may have changed its decision. */
function createReport(
  title: string,
  result: ReplayResult,
  summary: RunSummary,
  items: RunReport['items'],
): RunReport {
  const { testRunUrl, status, passed, checks, failures, notes, warnings, ranLive, normalized } = result;
  const service = testRunUrl.replace(/\/test-runs\/[^/]*$/, '');
  return {
    ...summary,
    title,
    testRunUrl,
    status,
    failures,
    notes,
    warnings,
    ranLive,
    normalized,
    ...(passed !== undefined && { passed }),
    ...(checks && { checks }),
    items: items.map((item) => {
      const traceId = item.traceId ?? item.sourceTraceId;
      const isStored = testRunUrl !== '' && traceId !== undefined;
      return isStored ? { ...item, url: `${service}/traces/${traceId}` } : item;
    }),
  };
}

/** Whether someone should look at it. */
function hasFailed(item: ReplayItem): boolean {
  const { verdict, divergences, scores, originalScores = [] } = item;
  // Without a baseline, its scores decide.
  const isCompared = item.sourceSpanId !== undefined || 'originalOutput' in item;
  const isUnlike = verdict === 'unknown' ? isCompared : verdict !== 'same';
  if (isUnlike || divergences.length > 0) return true;
  return scores.some(({ name, score }) => {
    const before = originalScores.find((other) => other.name === name)?.score;
    return score === false || (typeof score === 'number' && typeof before === 'number' && score < before);
  });
}

function unwrappedModels(unwrapped: ReadonlyMap<string, number>): string {
  const calls = [...unwrapped].map(([key, count]) => `${key} ${count}`).join(', ');
  return `Model calls ran live, although mock should answer them from the recording: ${calls}. Wrap the model with wrapModel(model), or name the key in live.`;
}
