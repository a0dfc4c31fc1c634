import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { readFilter, type TraceFilter } from '../../shared/trace-filter/trace-filter.js';

/**
 * The filter in the address, and setters: of some members, and of the whole filter except its order. Empty and `undefined` values are
 * removed.
 */
export function useTraceFilter() {
  const [parameters, setParameters] = useSearchParams();
  const filter = useMemo(() => readFilter(parameters), [parameters]);
  const put = (next: TraceFilter) => {
    const known = Object.entries(next).filter((entry): entry is [string, string] => Boolean(entry[1]));
    setParameters(new URLSearchParams(known));
  };
  return {
    filter,
    change: (change: TraceFilter) => {
      put({ ...filter, ...change });
    },
    replace: (next: TraceFilter) => {
      put({ ...next, sort: filter['sort'] });
    },
  };
}
