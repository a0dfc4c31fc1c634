import type { TraceSummary } from '@dacapo/protocol';
import { printable } from '../output/printable.js';
import { table } from '../output/table.js';

const NAME_WIDTH = 40;

/** Formats traces as rows: id, start, status, duration, spans, tokens, cost and name. */
export function formatTraceTable(traces: readonly TraceSummary[]): string {
  return table([
    ['ID', 'STARTED', 'STATUS', 'DURATION', 'SPANS', 'TOKENS', 'COST', 'NAME'],
    ...traces.map(toCells),
  ]);
}

/** One row, for a table that grows. */
export function formatTraceLine(trace: TraceSummary): string {
  const [id = '', started = '', status = '', duration = '', , , cost = '', name = ''] = toCells(trace);
  return `${id}  ${started}  ${status.padEnd(10)}  ${duration.padStart(10)}  ${cost.padStart(9)}  ${name}\n`;
}

export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return '-';
  return ms < 10_000 ? `${Number(ms.toPrecision(3))} ms` : `${Number((ms / 1000).toPrecision(3))} s`;
}

export function formatUsd(usd: number | undefined): string {
  return usd === undefined ? '-' : `$${Number(usd.toPrecision(3))}`;
}

function toCells(trace: TraceSummary): string[] {
  const { id, started_at: started, status, duration_ms, span_count: spans, tokens, cost_usd, name } = trace;
  const text = printable(name);
  return [
    id,
    started.slice(0, 19),
    status,
    formatMs(duration_ms),
    String(spans),
    String(tokens ?? '-'),
    formatUsd(cost_usd),
    text.length > NAME_WIDTH ? `${text.slice(0, NAME_WIDTH - 1)}…` : text,
  ];
}
