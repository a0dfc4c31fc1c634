import type { SpanSummary } from '@dacapo/protocol';
import { printable } from '../output/printable.js';

const BAR_WIDTH = 24;
/** Deeper spans are indented no further, so that a runaway recursion stays readable. */
const MAX_DEPTH = 40;

interface Row {
  readonly label: string;
  readonly span: SpanSummary;
}

/** A span with its place in the tree. */
export interface PlacedSpan {
  readonly span: SpanSummary;
  /** Lines before its branch. */
  readonly lead: string;
  readonly branch: string;
  readonly depth: number;
}

/** Spans of a trace in the order of its tree: each one before the spans inside it, siblings by start. */
export function orderTree(spans: readonly SpanSummary[]): PlacedSpan[] {
  const known = new Set(spans.map(({ id }) => id));
  const children = new Map<string | undefined, SpanSummary[]>();
  for (const span of spans.toSorted((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at))) {
    // The parent may not have arrived.
    const parent = span.parent_id !== undefined && known.has(span.parent_id) ? span.parent_id : undefined;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [span]);
    else siblings.push(span);
  }
  const placed: PlacedSpan[] = [];
  const pending: PlacedSpan[] = (children.get(undefined) ?? [])
    .map((span) => ({ span, lead: '', branch: '', depth: 0 }))
    .reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    placed.push(next);
    const { span, lead, branch, depth } = next;
    const inner = lead + (branch === '' || depth > MAX_DEPTH ? '' : branch === '├─ ' ? '│  ' : '   ');
    const below = children.get(span.id) ?? [];
    for (const [index, child] of [...below.entries()].reverse())
      pending.push({
        span: child,
        lead: inner,
        branch: index === below.length - 1 ? '└─ ' : '├─ ',
        depth: depth + 1,
      });
  }
  return placed;
}

/** Formats the spans of a trace as a tree with duration bars, like the dashboard. @param dim styles the bars */
export function formatTraceTree(
  spans: readonly SpanSummary[],
  dim: (text: string) => string = (text) => text,
): string {
  const rows: Row[] = [];
  let [startMs, endMs, width] = [Infinity, -Infinity, 0];
  for (const { span, lead, branch } of orderTree(spans)) {
    const label = `${lead}${branch}${printable(span.trace_function_key)}`;
    rows.push({ label, span });
    const spanStartMs = Date.parse(span.started_at);
    startMs = Math.min(startMs, spanStartMs);
    endMs = Math.max(endMs, spanStartMs + (span.duration_ms ?? 0));
    width = Math.max(width, label.length);
  }
  return rows
    .map(({ label, span }) => {
      const marks = [
        ...(span.status === 'ok' ? [] : [span.status]),
        ...(span.mocked === true ? ['mocked'] : []),
      ];
      const duration = span.duration_ms === undefined ? '' : `${span.duration_ms.toFixed(1)} ms`;
      const columns = `  ${label.padEnd(width)}  ${span.type.padEnd(9)}  ${dim(formatBar(span, startMs, endMs))}`;
      return [`${columns}${duration.padStart(11)}`, ...marks].join('  ').trimEnd();
    })
    .join('\n');
}

function formatBar(span: SpanSummary, startMs: number, endMs: number): string {
  const scale = BAR_WIDTH / Math.max(endMs - startMs, 0.001);
  const offset = Math.floor((Date.parse(span.started_at) - startMs) * scale);
  const start = Math.min(BAR_WIDTH - 1, Math.max(0, offset));
  const length = Math.round((span.duration_ms ?? 0) * scale);
  return `${' '.repeat(start)}${'█'.repeat(Math.max(1, Math.min(BAR_WIDTH - start, length)))}`.padEnd(
    BAR_WIDTH,
  );
}
