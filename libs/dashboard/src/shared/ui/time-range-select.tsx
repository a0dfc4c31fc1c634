import { TIME_RANGES } from '../navigation/time-range.js';

interface TimeRangeSelectProps {
  /** One of `TIME_RANGES`, empty for `none`, or `own` for custom times. */
  range: string;
  /** Label of the empty choice. Absent if a range is required. */
  none?: string;
  /** Label for custom times. Absent if there are none. */
  own?: string | undefined;
  onChange: (range: string) => void;
}

/** Selects a period that ends now. */
export function TimeRangeSelect({ range, none, own, onChange }: TimeRangeSelectProps) {
  return (
    <label className="field">
      <span>Started</span>
      <select
        value={range}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      >
        {none !== undefined && <option value="">{none}</option>}
        {TIME_RANGES.map(({ range: each, label }) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
        {own !== undefined && <option value="own">{own}</option>}
      </select>
    </label>
  );
}
