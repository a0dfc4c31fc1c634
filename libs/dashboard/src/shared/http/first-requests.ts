import type { QueryClient } from '@tanstack/react-query';

/**
 * Sends the first requests of a page as soon as its code is loaded, before the account is known and the page is rendered. The page finds
 * the answers by their query keys.
 */
export type FirstRequests = (queries: QueryClient, address: URL) => readonly Promise<unknown>[];
