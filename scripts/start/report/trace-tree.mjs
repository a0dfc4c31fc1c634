import { dim } from './style.mjs';

const BAR_WIDTH = 24;

/** The spans of a trace as a tree with a bar each, as the dashboard has it. */
export function traceTree({ spans }) {
  const root = spans.find(({ parent_id }) => !parent_id);
  const rows = rowsBelow(spans, root, '', '');
  const width = Math.max(...rows.map(({ label }) => label.length));
  return rows
    .map(({ label, span }) => {
      const mark = span.status === 'ok' ? '' : `  ${span.status}`;
      const duration = `${(span.duration_ms ?? 0).toFixed(1)} ms`.padStart(10);
      return `  ${label.padEnd(width)}  ${span.type.padEnd(9)}  ${dim(bar(span, root))}${duration}${mark}`;
    })
    .join('\n');
}

function rowsBelow(spans, span, lead, branch) {
  const children = spans
    .filter(({ parent_id }) => parent_id === span.id)
    .sort((a, b) => (a.started_at < b.started_at ? -1 : 1));
  const inner = lead + { '': '', '├─ ': '│  ', '└─ ': '   ' }[branch];
  return [
    { label: `${lead}${branch}${span.trace_function_key}`, span },
    ...children.flatMap((child, index) =>
      rowsBelow(spans, child, inner, index === children.length - 1 ? '└─ ' : '├─ '),
    ),
  ];
}

function bar(span, root) {
  const scale = BAR_WIDTH / Math.max(root.duration_ms, 0.001);
  const offsetMs = Date.parse(span.started_at) - Date.parse(root.started_at);
  const start = Math.min(BAR_WIDTH - 1, Math.max(0, Math.floor(offsetMs * scale)));
  const length = Math.max(1, Math.min(BAR_WIDTH - start, Math.round((span.duration_ms ?? 0) * scale)));
  return `${' '.repeat(start)}${'█'.repeat(length)}`.padEnd(BAR_WIDTH);
}
