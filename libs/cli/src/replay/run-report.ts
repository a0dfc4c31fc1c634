import { type ReportItem, type RunReport, toJUnit, toMarkdown } from '@dacapo/evaluation';
import type { ReplayItem, ReplayResult } from '@dacapo/tracer';
import { writeOutput } from '../output/write-output.js';

/** What is told of a run, to people and to machines. */
export type RunTold = RunReport &
  Pick<ReplayResult, 'testRunId' | 'testRunUrl' | 'status' | 'ranLive' | 'warnings'> & {
    /** What the application does by itself in production and did not do here. */
    readonly leftOut: readonly string[];
  };

export interface ReportFiles {
  readonly junit?: string;
  readonly markdown?: string;
}

/** More differences, and more other calls inside, of one item are not listed. */
const MOST_LISTED = 20;

/** Keeps of items what reports show, and lets go of their values: memory holds however many there are. */
export class ItemCollector {
  private readonly items: ReportItem[] = [];
  private readonly traces = new Map<ReportItem, string | undefined>();

  /** @param keepsSame whether items with nothing to look at are listed too, as a JUnit file does */
  constructor(private readonly keepsSame: boolean) {}

  add(item: ReplayItem): void {
    if (!this.keepsSame && !isToLookAt(item)) return;
    const kept = slim(item);
    this.items.push(kept);
    this.traces.set(kept, item.traceId);
  }

  told(title: string, leftOut: readonly string[], result: ReplayResult): RunTold {
    const service = result.testRunUrl.replace(/\/test-runs\/[^/]*$/, '');
    const items = this.items
      .map((item) => {
        const traceId = this.traces.get(item) ?? item.sourceTraceId;
        return { ...item, ...(traceId !== undefined && { url: `${service}/traces/${traceId}` }) };
      })
      .sort((a, b) => a.itemNo - b.itemNo || (a.repetition ?? 0) - (b.repetition ?? 0));
    return { ...result, title, leftOut, items };
  }
}

/** @throws FileUnwritableError */
export async function writeReports(run: RunTold, { junit, markdown }: ReportFiles): Promise<void> {
  if (junit !== undefined) await writeOutput(junit, toJUnit(run));
  if (markdown !== undefined) await writeOutput(markdown, toMarkdown(run));
}

/** For machines: the figures, and the items to look at. */
export function jsonOf(run: RunTold): object {
  return { ...run, items: run.items.filter(isToLookAt) };
}

function isToLookAt({ verdict, divergences }: Pick<ReportItem, 'verdict' | 'divergences'>): boolean {
  return verdict !== 'same' || divergences.length > 0;
}

function slim(item: ReplayItem): ReportItem {
  const { itemNo, repetition, verdict, fixed, diff, divergences, durationMs, sourceTraceId, sourceSpanId } =
    item;
  return {
    itemNo,
    verdict,
    divergences: divergences.slice(0, MOST_LISTED),
    ...(repetition !== undefined && { repetition }),
    ...(fixed && { fixed }),
    ...(diff && { diff: diff.slice(0, MOST_LISTED) }),
    ...('error' in item && { error: toldError(item.error) }),
    ...(durationMs !== undefined && { durationMs }),
    ...(sourceTraceId !== undefined && { sourceTraceId }),
    ...(sourceSpanId !== undefined && { sourceSpanId }),
  };
}

/** As data: an error by its name, its message and its code. */
function toldError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('message' in error)) return error;
  const { name = 'Error', message, code } = error as { name?: unknown; message: unknown; code?: unknown };
  return { name, message: String(message), ...(typeof code === 'string' && { code }) };
}
