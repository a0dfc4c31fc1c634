import type { QueryClient } from '@tanstack/react-query';

/**
 * Sends the requests that a page starts with as soon as its code is there, so that they do not wait for the account and the first render.
 * The page finds the answers by their keys.
 */
export type FirstRequests = (queries: QueryClient, address: URL) => readonly Promise<unknown>[];
