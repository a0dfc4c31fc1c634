import type { SpanRecord } from '@dacapo/protocol';

/** The spans as an outline: each line a span under its parent, siblings by time of start. */
export function outline(spans: readonly SpanRecord[]): string[] {
  const ids = new Set(spans.map(({ id }) => id));
  const children = (parentId: string | undefined): SpanRecord[] =>
    spans
      .filter(
        ({ parent_id }) =>
          (parent_id !== undefined && ids.has(parent_id) ? parent_id : undefined) === parentId,
      )
      .sort(
        (a, b) =>
          a.started_at.localeCompare(b.started_at) ||
          a.trace_function_key.localeCompare(b.trace_function_key),
      );
  const lines = (parentId: string | undefined, depth: number): string[] =>
    children(parentId).flatMap(({ id, type, name }) => [
      `${'  '.repeat(depth)}${type} ${name}`,
      ...lines(id, depth + 1),
    ]);
  return lines(undefined, 0);
}

/** Parents that are named and not there. */
export function orphans(spans: readonly SpanRecord[]): SpanRecord[] {
  const ids = new Set(spans.map(({ id }) => id));
  return spans.filter(({ parent_id }) => parent_id !== undefined && !ids.has(parent_id));
}

export function named(spans: readonly SpanRecord[], name: string): SpanRecord {
  const span = spans.find((candidate) => candidate.name === name);
  if (span === undefined)
    throw new Error(`no span ${name} among ${spans.map((other) => other.name).join(', ')}`);
  return span;
}
