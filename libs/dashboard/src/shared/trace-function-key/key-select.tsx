import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../http/client.js';

interface KeySelectProps {
  value: string;
  /** Label of the empty choice. */
  none?: string;
  onChange: (traceFunctionKey: string) => void;
}

/** Selects a trace function key. The current value is an option even if it has no traces. */
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
  queryKey: ['trace function keys'],
  queryFn: ({ signal }) => client.traces.listKeys({}, { signal }),
});
