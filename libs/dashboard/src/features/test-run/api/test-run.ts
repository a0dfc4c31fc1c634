import { queryOptions } from '@tanstack/react-query';
import { runQuery } from '../../../shared/test-run/queries.js';

export const LIVE_INTERVAL_MS = 1_500;
const IDLE_INTERVAL_MS = 10_000;

/** A test run. Polls fast while it is running, and slowly while it is interrupted, because it may be resumed. */
export const testRunQuery = (id: string) =>
  queryOptions({
    ...runQuery(id),
    refetchInterval: (query) => {
      const { status } = query.state.data ?? {};
      if (status === 'interrupted') return IDLE_INTERVAL_MS;
      return status === 'running' && LIVE_INTERVAL_MS;
    },
  });
