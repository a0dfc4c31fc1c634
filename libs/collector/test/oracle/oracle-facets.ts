import {
  toFilterText,
  metadataPathsIn,
  listPathReadings,
  type SpanFacetQuery,
  summarizeSpanUsage,
} from '@dacapo/collector/storage';
import { type FacetValues, isJsonObject, type JsonValue } from '@dacapo/protocol';
import type { View } from './trace-view.js';

/** Of views those of the newest traces, by their ids, first. */
export function listFacetValues(views: readonly View[], query: SpanFacetQuery, limit: number): FacetValues {
  const newest = views.toSorted((left, right) => (left.id < right.id ? 1 : -1));
  const items = [...new Set(newest.flatMap((view) => valuesIn(view, query).toSorted()))];
  return { items: items.slice(0, limit), ...(items.length > limit && { has_more: true }) };
}

function valuesIn({ spans, record }: View, query: SpanFacetQuery): string[] {
  const begins = (text: string): boolean => text.startsWith(query.prefix);
  const metadata = record.metadata ?? {};
  if (query.of === 'metadata_value') {
    return listPathReadings(query.path).flatMap((names) => {
      const value = names.reduce<JsonValue | undefined>(
        (found, name) => (isJsonObject(found) ? found[name] : undefined),
        metadata,
      );
      if (value === undefined || Array.isArray(value) || isJsonObject(value)) return [];
      const json = JSON.stringify(value);
      return begins(json) || json.startsWith(`"${query.prefix}`) ? [toFilterText(value)] : [];
    });
  }
  if (query.of === 'name') return spans.map(({ name }) => name).filter(begins);
  if (query.of === 'tag') return (record.tags ?? []).filter(begins);
  if (query.of === 'user_id' || query.of === 'environment' || query.of === 'release')
    return [record[query.of] ?? ''].filter((text) => text !== '' && begins(text));
  if (query.of === 'model')
    return spans.flatMap((span) => summarizeSpanUsage(span)?.model ?? []).filter(begins);
  return Object.entries(metadata)
    .flatMap(([name, value]) => metadataPathsIn(name, value))
    .filter(begins);
}
