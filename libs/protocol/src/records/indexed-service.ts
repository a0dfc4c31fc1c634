/** Kinds of indexed services (SPEC 2.4). `OTHER` is Dacapo's word for the fourth, whose literal is not specified. */
export const INDEX_TYPES = ['SDK', 'CLI', 'API', 'OTHER'] as const;
export type IndexType = (typeof INDEX_TYPES)[number];

/** One entry of the catalogue of indexed services (SPEC 2.3). */
export interface IndexedService {
  name: string;
  /** `scrape_<digits>`; what get-context takes. */
  index_id: string;
  type: IndexType;
}

export function isIndexId(text: string): boolean {
  return /^scrape_\d{1,30}$/.test(text);
}
