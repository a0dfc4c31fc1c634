/** Kinds of indexed services (SPEC 2.4). The specification leaves the fourth literal open; Dacapo uses `OTHER`. */
export const INDEX_TYPES = ['SDK', 'CLI', 'API', 'OTHER'] as const;
export type IndexType = (typeof INDEX_TYPES)[number];

/** One entry of the catalogue of indexed services (SPEC 2.3). */
export interface IndexedService {
  name: string;
  /** `scrape_<digits>`, the id that get-context accepts. */
  index_id: string;
  type: IndexType;
}

export function isIndexId(text: string): boolean {
  return /^scrape_\d{1,30}$/.test(text);
}
