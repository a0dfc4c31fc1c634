import { useSearchParams } from 'wouter';

/** The filter in an address: an empty text for what it does not name. */
export function readQueryFilter<Name extends string>(
  parameters: URLSearchParams,
  names: readonly Name[],
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ''])) as Record<Name, string>;
}

/** A filter stored in the address, so filtered pages can be linked. An empty value means no filter. */
export function useQueryFilter<Name extends string>(names: readonly Name[]) {
  const [parameters, setParameters] = useSearchParams();
  const filter = readQueryFilter(parameters, names);
  const setFilter = (change: Partial<Record<Name, string>>, options?: { replace: boolean }) => {
    setParameters((previous) => {
      const next = new URLSearchParams(previous);
      for (const [name, value] of Object.entries<string | undefined>(change)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      return next;
    }, options);
  };
  return [filter, setFilter] as const;
}
