import type { FacetValues, JsonValue } from '@dacapo/protocol';
import { toFilterText, metadataPathsIn, type SpanFacetQuery } from '../../../ports/facets.js';
import { hasMetadata } from '../../../ports/trace-filter.js';
import type { Reader } from '../connection.js';
import { LABEL_INDEXES } from './trace-walk.js';

/** Maximum of distinct values that are read along an index. Each needs two lookups. */
const LOOKED_AT = 1_000;

/** Appended to a prefix, sorts after all texts with the prefix. */
const LAST = '\u{10FFFF}';

interface Found {
  items: string[];
  isCut: boolean;
}

interface FacetRow {
  facet: string;
  looked: number;
  /** The metadata entry of its newest trace. */
  value: string | null;
}

/** Walks over the distinct facets from `?2` to `?3`, and returns those of the newest traces. `next` is the end of what is skipped. */
const facetsBy = (next: string, entry: string): string => `WITH RECURSIVE walk(facet, n) AS (
    SELECT (SELECT min(facet) FROM trace_facets WHERE account_id = ?1 AND facet >= ?2 AND facet < ?3), 1
    UNION ALL
    SELECT (SELECT min(facet) FROM trace_facets WHERE account_id = ?1 AND facet > ${next} AND facet < ?3), n + 1
      FROM walk WHERE facet IS NOT NULL AND n < ?4),
  newest AS (
    SELECT facet, count(*) OVER () AS looked,
      (SELECT max(f.trace_id) FROM trace_facets f WHERE f.account_id = ?1 AND f.facet = walk.facet) AS trace_id
    FROM walk WHERE facet IS NOT NULL ORDER BY trace_id DESC, facet LIMIT ?5)
  SELECT facet, looked, a.value FROM newest LEFT JOIN trace_attributes a
    ON a.account_id = ?1 AND a.trace_id = newest.trace_id AND a.kind = 'metadata' AND a.key = ${entry}
    ORDER BY newest.trace_id DESC, facet`;

const VALUES = facetsBy('walk.facet', '?6');
/** The first value of each metadata entry. A name with an equals sign is cut there and finds nothing. */
const ENTRIES = facetsBy(
  `substr(walk.facet, 1, instr(walk.facet, '=') - 1) || '>'`,
  `substr(facet, 10, instr(facet, '=') - 10)`,
);

/** Walks over the distinct texts of a column along its index, and returns those of the newest traces. */
const labelValues = (column: string, index: string): string => {
  const least = (than: string): string => `(SELECT min(${column}) FROM traces INDEXED BY ${index}
    WHERE account_id = ?1 AND ${column} ${than} AND ${column} < ?3)`;
  return `WITH RECURSIVE walk(facet, n) AS (
      SELECT ${least('>= ?2')}, 1
      UNION ALL
      SELECT ${least('> walk.facet')}, n + 1 FROM walk WHERE facet IS NOT NULL AND n < ?4)
    SELECT facet, count(*) OVER () AS looked, NULL AS value FROM walk WHERE facet IS NOT NULL
    ORDER BY (SELECT t.started_us FROM traces t INDEXED BY ${index} WHERE t.account_id = ?1 AND t.${column} = walk.facet
      ORDER BY t.started_us DESC LIMIT 1) DESC, facet LIMIT ?5`;
};

const LABEL_VALUES = {
  user_id: labelValues('user_id', LABEL_INDEXES.user_id),
  environment: labelValues('environment', LABEL_INDEXES.environment),
  release: labelValues('release', LABEL_INDEXES.release),
};

/** @param lookedAt maximum of values to read */
export async function listFacetValues(
  database: Reader,
  accountId: string,
  query: SpanFacetQuery,
  limit: number,
  lookedAt = LOOKED_AT,
): Promise<FacetValues> {
  const read = (sql: string, start: string, entry?: string): Promise<FacetRow[]> =>
    database.all<FacetRow>(sql, [
      accountId,
      start,
      start + LAST,
      lookedAt,
      2 * limit + 1,
      ...(entry === undefined ? [] : [entry]),
    ]);
  const isCut = (rows: readonly FacetRow[]): boolean =>
    rows.some(({ looked }) => looked >= lookedAt || looked > rows.length);

  const find = async (): Promise<Found> => {
    const { prefix } = query;
    if (query.of === 'user_id' || query.of === 'environment' || query.of === 'release') {
      const rows = await read(LABEL_VALUES[query.of], prefix);
      return { items: rows.map(({ facet }) => facet), isCut: isCut(rows) };
    }
    if (query.of === 'metadata_path') {
      const rows = await read(ENTRIES, `metadata:${prefix.split('.', 1)[0] ?? ''}`);
      return { items: rows.flatMap(pathsIn).filter((path) => path.startsWith(prefix)), isCut: isCut(rows) };
    }
    if (query.of !== 'metadata_value') {
      const rows = await read(VALUES, `${query.of}:${prefix}`, '');
      return { items: rows.map(({ facet }) => facet.slice(query.of.length + 1)), isCut: isCut(rows) };
    }
    const { path } = query;
    const found = await Promise.all(
      // The name of the entry may contain dots. A text matches with and without quotes.
      path.flatMap((_, index) => {
        const entry = path.slice(0, index + 1).join('.');
        const starts = prefix === '' ? [prefix] : toIndexPrefixes(prefix);
        return starts.map(async (start): Promise<Found> => {
          const rows = await read(VALUES, `metadata:${entry}=${start}`, entry);
          return { items: rows.flatMap((row) => valueAt(row, entry, query)), isCut: isCut(rows) };
        });
      }),
    );
    return { items: found.flatMap(({ items }) => items), isCut: found.some((one) => one.isCut) };
  };

  const found = await find();
  const items = [...new Set(found.items)];
  const hasMore = found.isCut || items.length > limit;
  return { items: items.slice(0, limit), ...(hasMore && { has_more: true }) };
}

function pathsIn({ facet, value }: FacetRow): string[] {
  const entry = facet.slice('metadata:'.length, facet.indexOf('='));
  return value === null ? [] : metadataPathsIn(entry, JSON.parse(value) as JsonValue);
}

/** Prefixes in the index for a requested prefix. The index quotes texts and stores booleans as numbers. */
function toIndexPrefixes(prefix: string): string[] {
  return [
    ...(prefix.startsWith('"') ? [prefix] : [prefix, `"${prefix}`]),
    ...TRUTHS.flatMap((truth, number) => (String(truth).startsWith(prefix) ? [String(number)] : [])),
  ];
}

const TRUTHS = [false, true] as const;

/** The value at the path. Values that are cut in the index are too long for a suggestion. */
function valueAt(
  { facet, value }: FacetRow,
  entry: string,
  { path, prefix }: { path: readonly string[]; prefix: string },
): string[] {
  if (value === null) return [];
  let atom: string | number | null;
  try {
    atom = JSON.parse(facet.slice(`metadata:${entry}=`.length)) as typeof atom;
  } catch {
    return [];
  }
  const values = atom === 0 || atom === 1 ? [atom, TRUTHS[atom]] : [atom];
  const metadata = { [entry]: JSON.parse(value) as JsonValue };
  return values.flatMap((one) => {
    const json = JSON.stringify(one);
    const matchesPrefix = json.startsWith(prefix) || json.startsWith(`"${prefix}`);
    return matchesPrefix && hasMetadata(metadata, { path, values: [one] }) ? [toFilterText(one)] : [];
  });
}
