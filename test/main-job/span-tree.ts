import type { SpanSummary } from '@dacapo/protocol';

/** Formats a span and its inner calls as an indented tree: one line `key (type)` each, in order of start. */
export function spanTree(spans: readonly SpanSummary[]): string[] {
  const ids = new Set(spans.map(({ id }) => id));
  const below = (parentId: string | undefined, lead: string): string[] =>
    spans
      .filter(({ parent_id }) => parent_id === parentId)
      .sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
      .flatMap((span) => [
        `${lead}${span.trace_function_key} (${span.type})`,
        ...below(span.id, `${lead}  `),
      ]);
  const orphans = spans.filter(({ parent_id }) => parent_id !== undefined && !ids.has(parent_id));
  return [
    ...below(undefined, ''),
    ...orphans.map(({ trace_function_key }) => `orphan ${trace_function_key}`),
  ];
}
