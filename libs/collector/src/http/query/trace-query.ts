import {
  FACETS,
  type Fields,
  LIMITS,
  readFieldConditions,
  SPAN_STATUSES,
  TRACE_AMOUNTS,
  TRACE_SORTS,
  type TraceSort,
} from '@dacapo/protocol';
import type { FacetQuery } from '../../storage/facets.js';
import { readTextQuery } from '../../storage/text-query.js';
import {
  type AmountRange,
  fieldFilterOf,
  type MetadataFilter,
  type TraceFilter,
} from '../../storage/trace-filter.js';
import { numberOf, type Query, queryFields, scoreFilterOf, valuesMeant } from './page-query.js';

const METADATA = 'metadata.';

/** Which traces a query asks for. @throws ProtocolError */
export function traceFilterOf(query: Query): TraceFilter {
  const fields = queryFields(query);
  const text = fields.has('text') ? readTextQuery(fields) : undefined;
  const amounts = TRACE_AMOUNTS.flatMap((amount) => {
    const range = rangeOf(query, amount);
    return range === undefined ? [] : [[amount, range] as const];
  });
  const metadata = metadataOf(fields);
  return {
    ...(fields.has('trace_function_key') && { traceFunctionKey: fields.string('trace_function_key') }),
    ...fieldFilterOf(readFieldConditions(fields), text),
    ...(fields.has('status') && { status: fields.oneOf('status', SPAN_STATUSES) }),
    ...(fields.has('since') && { since: fields.timestamp('since') }),
    ...(fields.has('until') && { until: fields.timestamp('until') }),
    ...(fields.has('test_run_id') && { testRunId: fields.string('test_run_id') }),
    ...(fields.has('replays') &&
      fields.oneOf('replays', ['include', 'exclude']) === 'exclude' && { withoutReplays: true }),
    ...(amounts.length > 0 && { amounts: Object.fromEntries(amounts) }),
    ...(metadata.length > 0 && { metadata }),
    ...scoreFilterOf(query),
  };
}

/** `sort`; by time when it is absent. @throws ProtocolError */
export function traceSortOf(query: Query): TraceSort {
  const fields = queryFields(query);
  return fields.has('sort') ? fields.oneOf('sort', TRACE_SORTS) : 'time';
}

/** Which values a query asks for. @throws ProtocolError */
export function facetQueryOf(query: Query): FacetQuery {
  const fields = queryFields(query);
  const of = fields.oneOf('of', FACETS);
  const prefix = fields.has('prefix') ? fields.string('prefix') : '';
  if (of === 'metadata_value')
    return { of, prefix, path: metadataPathOf(fields, 'path', fields.string('path')) };
  if (fields.has('path')) fields.fail('path', 'is for of=metadata_value alone');
  return { of, prefix };
}

function rangeOf(query: Query, amount: string): AmountRange | undefined {
  const [least, most] = [`min_${amount}`, `max_${amount}`].map((name) => numberOf(query, name, 0));
  if (least !== undefined && most !== undefined && least > most) {
    queryFields(query).fail(`min_${amount}`, `must not be greater than max_${amount}, which is ${most}`);
  }
  if ((least ?? most) === undefined) return undefined;
  return { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
}

function metadataOf(fields: Fields): MetadataFilter[] {
  const names = fields.names().filter((name) => name.startsWith(METADATA));
  const { metadataFilters: most } = LIMITS;
  if (names.length > most)
    fields.fail(names[most] ?? METADATA, `is one condition too many: at most ${most} are accepted`);
  return names.map((name) => ({
    path: metadataPathOf(fields, name, name.slice(METADATA.length)),
    values: valuesMeant(fields.string(name)),
  }));
}

function metadataPathOf(fields: Fields, name: string, text: string): string[] {
  const { metadataPath: deepest } = LIMITS;
  const path = text.split('.');
  if (path.includes('')) {
    fields.fail(name, 'must name a member of the metadata, such as metadata.tier or metadata.user.plan');
  }
  if (path.length > deepest) fields.fail(name, `must name at most ${deepest} members, not ${path.length}`);
  if (text.includes('"'))
    fields.fail(name, 'must have no quotation mark: members with one cannot be asked for');
  return path;
}
