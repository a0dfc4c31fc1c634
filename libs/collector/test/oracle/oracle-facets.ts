import { type FacetValues, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { type FacetQuery, filterTextOf, metadataPathsIn } from '../../src/storage/facets.js';
import { spanUsageOf } from '../../src/storage/span-usage.js';
import { readingsOf } from '../../src/storage/trace-filter.js';
import type { View } from './trace-view.js';

/** Of views those of the newest traces, by their ids, first; names of scores by the alphabet. */
export function facetValuesOf(
  { views, names }: { views: readonly View[]; names: readonly string[] },
  query: FacetQuery,
  limit: number,
): FacetValues {
  if (query.of === 'score') {
    return firstOf(names.filter((name) => name.startsWith(query.prefix)).toSorted(), limit);
  }
  const newest = views.toSorted((left, right) => (left.id < right.id ? 1 : -1));
  return firstOf(
    newest.flatMap((view) => valuesIn(view, query).toSorted()),
    limit,
  );
}

function firstOf(values: readonly string[], limit: number): FacetValues {
  const items = [...new Set(values)];
  return { items: items.slice(0, limit), ...(items.length > limit && { has_more: true }) };
}

function valuesIn({ spans, record }: View, query: Exclude<FacetQuery, { of: 'score' }>): string[] {
  const begins = (text: string): boolean => text.startsWith(query.prefix);
  const metadata = record.metadata ?? {};
  if (query.of === 'metadata_value') {
    return readingsOf(query.path).flatMap((names) => {
      const value = names.reduce<JsonValue | undefined>(
        (found, name) => (isJsonObject(found) ? found[name] : undefined),
        metadata,
      );
      if (value === undefined || Array.isArray(value) || isJsonObject(value)) return [];
      const json = JSON.stringify(value);
      return begins(json) || json.startsWith(`"${query.prefix}`) ? [filterTextOf(value)] : [];
    });
  }
  if (query.of === 'name') return spans.map(({ name }) => name).filter(begins);
  if (query.of === 'tag') return (record.tags ?? []).filter(begins);
  if (query.of === 'user_id' || query.of === 'environment' || query.of === 'release')
    return [record[query.of] ?? ''].filter((text) => text !== '' && begins(text));
  if (query.of === 'model') return spans.flatMap((span) => spanUsageOf(span)?.model ?? []).filter(begins);
  return Object.entries(metadata)
    .flatMap(([name, value]) => metadataPathsIn(name, value))
    .filter(begins);
}
