import type { SpanSummary } from '@dacapo/protocol';
import fc from 'fast-check';
import { buildTree } from '../../../shared/spans/build-tree.js';
import { filterTree, matchesFilter } from './filter-tree.js';
import { visibleRows } from '../analysis/visible-rows.js';

function span(id: string, parent_id?: string, more: Partial<SpanSummary> = {}): SpanSummary {
  return {
    id,
    trace_function_key: `key-${id}`,
    name: id,
    type: 'custom',
    status: 'ok',
    started_at: '2026-03-04T10:00:00.000000Z',
    ...(parent_id !== undefined && { parent_id }),
    ...more,
  };
}

const spans = [
  span('root'),
  span('agent', 'root', { type: 'agent' }),
  span('model', 'agent', { type: 'llm', usage: { model: 'GPT-5' } }),
  span('tool', 'agent', { status: 'error', error_preview: 'LockTimeout: ledger' }),
  span('other', 'root'),
];

const names = (text: string, type = ''): string[] =>
  visibleRows(filterTree(buildTree(spans), { text, type })).map((row) => row.span.name);

describe('a tree is filtered', () => {
  it.each([
    ['', '', ['root', 'agent', 'model', 'tool', 'other']],
    ['ledger', '', ['root', 'agent', 'tool']],
    ['gpt', '', ['root', 'agent', 'model']],
    ['KEY-OTHER', '', ['root', 'other']],
    ['', 'llm', ['root', 'agent', 'model']],
    ['ledger', 'llm', []],
    ['nowhere', '', []],
  ])('by %j and type %j', (text, type, expected) => {
    expect(names(text, type)).toEqual(expected);
  });

  it('without losing a span that matches', () => {
    const parents = fc.array(fc.nat(), { maxLength: 30 });
    const filter = { text: 'x', type: '' };
    fc.assert(
      fc.property(parents, fc.array(fc.boolean(), { minLength: 31, maxLength: 31 }), (above, isMatch) => {
        const made = [0, ...above].map((parent, index) =>
          span(`s${index}`, index === 0 ? undefined : `s${parent % index}`, {
            name: isMatch[index] ? 'x' : '-',
            trace_function_key: '-',
          }),
        );
        const shown = visibleRows(filterTree(buildTree(made), filter)).map((row) => row.span);
        const matching = made.filter((each) => matchesFilter(each, filter));
        expect(new Set(shown)).toEqual(new Set([...matching, ...shown]));
        expect(shown.filter((each) => matchesFilter(each, filter))).toHaveLength(matching.length);
      }),
    );
  });
});
