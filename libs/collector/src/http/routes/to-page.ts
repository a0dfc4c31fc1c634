import type { PageRequest } from '../../cursor.js';

const USUAL = 50;

/** The page that a query requests. */
export function toPage({ limit = USUAL, cursor }: { limit?: number; cursor?: string }): PageRequest {
  return { limit, ...(cursor !== undefined && { cursor }) };
}
