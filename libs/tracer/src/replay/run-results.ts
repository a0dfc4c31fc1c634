import { decide, type Gate, RunTally, toJUnit, toMarkdown, fromItemUsage } from '@dacapo/evaluation';
import type { TestRunItemSummary } from '@dacapo/protocol';
import type { ReplayItem, ReplayResult } from './replay-result.js';

export interface RunResultsParts {
  readonly keep: 'all' | 'failed' | 'none';
  readonly gate: Gate | undefined;
  /** What was played. */
  readonly title: string;
}

/** Adds up what becomes of a run's calls, and keeps the items that are asked for. */
export class RunResults {
  readonly ran = new Map<string, number>();
  readonly warnings: string[] = [];
  /** How many calls were left out here, by reason. */
  readonly leftOut = new Map<string, number>();
  /** How many items have an outcome. */
  count = 0;

  private readonly tally = new RunTally();
  private readonly items: ReplayItem[] = [];

  constructor(private readonly parts: RunResultsParts) {}

  add(item: ReplayItem): void {
    this.count++;
    const { keep } = this.parts;
    this.tally.add(item);
    const hasFailed = item.verdict !== 'same' || item.divergences.length > 0;
    if (keep === 'all' || (keep === 'failed' && hasFailed)) this.items.push(item);
  }

  /** An item that was played before the run was resumed. */
  addStored(item: TestRunItemSummary): void {
    this.count++;
    this.tally.add({
      itemNo: item.item_no,
      verdict: item.verdict,
      ...(item.fixed && { fixed: true }),
      ...(item.failing_as_before && { failingAsBefore: true }),
      ...(item.accepted && { accepted: true }),
      divergences: item.divergence_count === undefined ? [] : [item.divergence_count],
      scores: [],
      ...(item.duration_ms !== undefined && { durationMs: item.duration_ms }),
      ...(item.original_duration_ms !== undefined && { originalDurationMs: item.original_duration_ms }),
      ...(item.usage && { usage: fromItemUsage(item.usage) }),
      ...(item.original_usage && { originalUsage: fromItemUsage(item.original_usage) }),
      ...(item.source_span_id !== undefined && { sourceSpanId: item.source_span_id }),
    });
  }

  /** Calls that were not selected, by reason. */
  skip(skipped: Readonly<Record<string, number | undefined>>): void {
    for (const [reason, count = 0] of Object.entries(skipped)) this.tally.skip(reason, count);
  }

  /** A selected call that is none for the function. */
  leaveOut(reason: string): void {
    this.count++;
    this.tally.skip(reason);
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + 1);
  }

  /** Calls that were selected and not played, or not told. */
  miss(count: number, warning: string): void {
    if (count === 0) return;
    this.tally.miss(count);
    this.warnings.push(warning);
  }

  result(run: Pick<ReplayResult, 'testRunId' | 'testRunUrl' | 'status'>): ReplayResult {
    const { gate, title } = this.parts;
    const summary = this.tally.summarize(gate?.confidence);
    const decision = gate && decide(summary, gate);
    const result: ReplayResult = {
      ...run,
      ...summary,
      items: this.items.sort((a, b) => a.itemNo - b.itemNo),
      ranLive: Object.fromEntries(this.ran),
      warnings: this.warnings,
      failures: decision?.failures ?? [],
      ...(decision && { passed: decision.passed }),
      toMarkdown: () => toMarkdown({ title, ...result }),
      toJUnit: () => toJUnit({ title, ...result }),
    };
    return result;
  }
}
