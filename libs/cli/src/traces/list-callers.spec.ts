import type { SpanSummary } from '@dacapo/protocol';
import { listCallers } from './list-callers.js';

/** @param parents the id of each span with that of its parent, which may be missing */
const trace = (parents: Readonly<Record<string, string | undefined>>): Map<string, SpanSummary> =>
  new Map(Object.entries(parents).map(([id, parent_id]) => [id, { id, parent_id } as SpanSummary]));

it.each([
  ['a chain', { a: undefined, b: 'a', c: 'b' }, 'c', ['a', 'b', 'c']],
  ['the outermost call', { a: undefined, b: 'a' }, 'a', ['a']],
  ['a span whose parent is missing', { b: 'gone', c: 'b' }, 'c', ['b', 'c']],
  ['a span that is its own parent', { a: 'a' }, 'a', ['a']],
  ['a circle', { a: 'b', b: 'a', c: 'b' }, 'c', ['a', 'b', 'c']],
])('lists the callers in %s', (_, parents, id, expected) => {
  const byId = trace(parents);
  expect(listCallers(byId, byId.get(id) as SpanSummary).map((span) => span.id)).toEqual(expected);
});
