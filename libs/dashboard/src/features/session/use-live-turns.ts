import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { mergeLiveRows } from '../../shared/live/merge-live-rows.js';
import { useNewest } from '../../shared/live/use-newest.js';
import { listTurns, sessionQuery } from './api.js';

/**
 * The turns of a session in their present state, and how many came after the last one. They are shown on demand, at the end, where
 * `onShown` gets the place of the first one.
 */
export function useLiveTurns(sessionId: string, isLive: boolean, onShown: (place: number) => void) {
  const query = useInfiniteQuery(sessionQuery(sessionId));
  const { data, isSuccess, hasNextPage, refetch } = query;
  const loaded = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const newest = useNewest(
    ['turns', sessionId],
    (options) => listTurns(sessionId, {}, options),
    isLive && isSuccess,
  );
  const { rows: turns, arrived } = useMemo(
    () => mergeLiveRows(loaded, newest?.items ?? [], ({ id }) => id),
    [loaded, newest],
  );
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    const place = turns.findIndex(({ id }) => id === wanted.current);
    if (place < 0) return;
    wanted.current = undefined;
    onShown(place);
  }, [turns, onShown]);
  const showArrived = () => {
    wanted.current = arrived.at(-1)?.id;
    // All pages: a late trace may belong between the others.
    void refetch();
  };
  // Before the last page, the next ones load while the reader scrolls.
  return { query, turns, arrived: hasNextPage ? 0 : arrived.length, showArrived };
}
