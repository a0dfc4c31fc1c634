import { TIME_RANGES } from '../navigation/time-range.js';

interface TimeRangeSelectProps {
  /** One of `TIME_RANGES`; empty for the first choice, `own` for the last. */
  range: string;
  /** What the choice of no range is called; absent: one must be chosen. */
  none?: string;
  /** What times that are no range are called; absent: there are none. */
  own?: string | undefined;
  onChange: (range: string) => void;
}

/** Chooses a time that ends now. */
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
