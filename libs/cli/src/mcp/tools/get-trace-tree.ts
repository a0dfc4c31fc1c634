import { readTrace } from '../../traces/read-trace.js';
import { orderTree, type PlacedSpan } from '../../traces/trace-tree.js';
import { formatMs } from '../../traces/trace-table.js';
import { Answer } from '../answer.js';
import { ToolRefusedError } from '../errors.js';
import { SPAN_ID, type Tool, TRACE_ID } from '../tool.js';

interface Input {
  readonly trace_id: string;
  readonly under?: string;
}

const MOST_CHARACTERS = 6_500;
const LONGEST_NAME = 80;
const DEEPEST = 20;

/** Calls of a trace as a tree. Equal neighbours are one line, and failed calls come first when not all fit. */
export const getTraceTree: Tool<Input> = {
  name: 'get_trace_tree',
  description: 'Show the calls inside a trace as a tree with span ids, types, statuses and durations.',
  input: { trace_id: TRACE_ID, under: { ...SPAN_ID, description: 'only the calls inside this span' } },
  required: ['trace_id'],
  acts: false,
  subject: ({ trace_id }) => trace_id,
  async run({ trace_id, under }, { service }) {
    const { spans } = await readTrace(service, trace_id);
    const all = orderTree(spans);
    const placed = under === undefined ? all : subtree(all, under);
    const rows = joinNeighbours(placed);
    const kept = chooseRows(rows);
    const shown = kept.reduce((sum, { spans: some }) => sum + some, 0);
    const answer = new Answer().say(`${placed.length} spans. Next: get_span with the id of a span.`);
    answer.quote(kept.map(({ text }) => text).join('\n'));
    return shown === placed.length
      ? answer
      : answer.say(
          `${placed.length - shown} spans are not shown. Name a span with "under" to see the calls inside it.`,
        );
  },
};

interface TreeRow {
  readonly place: PlacedSpan;
  readonly text: string;
  /** How many spans it stands for. */
  readonly spans: number;
  readonly isFailed: boolean;
}

/** @throws ToolRefusedError when the trace has no such span */
function subtree(placed: readonly PlacedSpan[], id: string): PlacedSpan[] {
  const start = placed.findIndex(({ span }) => span.id === id);
  const root = placed[start];
  if (root === undefined)
    throw new ToolRefusedError('The trace has no span with this id. Take one from get_trace_tree.');
  const end = placed.findIndex(({ depth }, index) => index > start && depth <= root.depth);
  return placed
    .slice(start, end === -1 ? undefined : end)
    .map((one) => ({ ...one, depth: one.depth - root.depth }));
}

/** Joins successful leaves with the same key that follow each other. */
function joinNeighbours(placed: readonly PlacedSpan[]): TreeRow[] {
  const rows: TreeRow[] = [];
  for (let index = 0; index < placed.length;) {
    const place = placed[index];
    if (place === undefined) break;
    let end = index + 1;
    while (isAlike(place, placed[end]) && isLeaf(placed, index) && isLeaf(placed, end)) end++;
    rows.push(toRow(place, end - index));
    index = end;
  }
  return rows;
}

function isAlike({ span, depth }: PlacedSpan, other: PlacedSpan | undefined): boolean {
  return (
    other?.depth === depth &&
    other.span.trace_function_key === span.trace_function_key &&
    [span, other.span].every(({ status }) => status === 'ok')
  );
}

function isLeaf(placed: readonly PlacedSpan[], index: number): boolean {
  return (placed[index + 1]?.depth ?? 0) <= (placed[index]?.depth ?? 0);
}

function toRow(place: PlacedSpan, spans: number): TreeRow {
  const { span, depth } = place;
  const name = span.trace_function_key.replace(/\s+/g, ' ').slice(0, LONGEST_NAME);
  const facts = [
    span.id,
    `${' '.repeat(Math.min(depth, DEEPEST))}${name}`,
    ...(spans > 1 ? [`×${spans}`] : []),
    span.type,
    ...(spans > 1 ? [] : [formatMs(span.duration_ms)]),
    ...(span.status === 'ok' ? [] : [span.status]),
  ];
  return { place, spans, text: facts.join(' '), isFailed: span.status === 'error' };
}

/** The rows that fit: failed calls with their callers, then the outer ones. In the order of the tree. */
function chooseRows(rows: readonly TreeRow[]): readonly TreeRow[] {
  const important = new Set<TreeRow>();
  const callers: TreeRow[] = [];
  for (const row of rows) {
    while ((callers.at(-1)?.place.depth ?? -1) >= row.place.depth) callers.pop();
    callers.push(row);
    if (row.isFailed) for (const caller of callers) important.add(caller);
  }
  const ranked = rows.toSorted(
    (a, b) => Number(important.has(b)) - Number(important.has(a)) || a.place.depth - b.place.depth,
  );
  const kept = new Set<TreeRow>();
  let room = MOST_CHARACTERS;
  for (const row of ranked) {
    room -= row.text.length + 1;
    if (room < 0) break;
    kept.add(row);
  }
  return rows.filter((row) => kept.has(row));
}
