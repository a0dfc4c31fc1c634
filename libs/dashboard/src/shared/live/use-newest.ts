import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useStoredChanges } from './use-stored-changes.js';

/** How often the newest rows load: without events of the service, and as a precaution with them. */
const POLL_MS = 3_000;
const PRECAUTION_MS = 15_000;

const NEWEST = 'newest rows';

/** The newest rows of a list, again whenever something was stored. `undefined` at first, and while the page does not follow. */
export function useNewest<T>(
  list: readonly unknown[],
  load: (options: { signal: AbortSignal }) => Promise<T>,
  isFollowing: boolean,
): T | undefined {
  const client = useQueryClient();
  const refetch = useCallback(() => {
    // A slow answer is not thrown away for the next one.
    void client.refetchQueries({ queryKey: [NEWEST], type: 'active' }, { cancelRefetch: false });
  }, [client]);
  const hasEvents = useStoredChanges(isFollowing, refetch);
  const { data } = useQuery({
    queryKey: [NEWEST, ...list],
    queryFn: load,
    refetchInterval: hasEvents ? PRECAUTION_MS : POLL_MS,
    staleTime: POLL_MS,
    retry: false,
    enabled: isFollowing,
  });
  return isFollowing ? data : undefined;
}
