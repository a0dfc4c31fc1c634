import { queryOptions, useQuery } from '@tanstack/react-query';
import { ROUTES, type TraceFunctionKeySummary } from '@dacapo/protocol';
import { request } from '../http/request.js';

interface KeySelectProps {
  value: string;
  /** What choosing none is called. */
  none?: string;
  onChange: (traceFunctionKey: string) => void;
}

/** Chooses a trace function key. A key from the address that nothing was recorded for stays choosable. */
export function KeySelect({ value, none = 'All keys', onChange }: KeySelectProps) {
  const { data } = useQuery(traceFunctionKeysQuery);
  const keys = data?.items.map((item) => item.trace_function_key) ?? [];
  const isUnknown = value !== '' && !keys.includes(value);
  return (
    <label className="field">
      <span>Trace function key</span>
      <select
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      >
        <option value="">{none}</option>
        {(isUnknown ? [value, ...keys] : keys).map((key) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
      </select>
    </label>
  );
}

const traceFunctionKeysQuery = queryOptions({
  queryKey: [ROUTES.traceFunctionKeys],
  queryFn: ({ signal }) =>
    request<{ items: TraceFunctionKeySummary[] }>(ROUTES.traceFunctionKeys, { signal }),
});
