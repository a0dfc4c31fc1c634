import { type KeyboardEvent, useRef } from 'react';

export interface ScoreRange {
  /** The name of a score, or empty for all items. */
  score: string;
  /** Numbers as typed, or empty for no bound. */
  score_below: string;
  score_above: string;
}

interface ScoreFilterProps {
  names: string[];
  range: ScoreRange;
  onChange: (range: ScoreRange) => void;
}

const ALL: ScoreRange = { score: '', score_below: '', score_above: '' };

/** Filters items by a score and its bounds, on the service. Renders nothing for a run without scores. */
export function ScoreFilter({ names, range, onChange }: ScoreFilterProps) {
  const known = range.score === '' || names.includes(range.score) ? names : [range.score, ...names];
  if (known.length === 0) return null;
  return (
    <div className="bar-fields" role="group" aria-label="Filter by score">
      <label className="field">
        <span>Score</span>
        <select
          value={range.score}
          onChange={(event) => {
            onChange(event.target.value === '' ? ALL : { ...range, score: event.target.value });
          }}
        >
          <option value="">Any score</option>
          {known.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {range.score !== '' && (
        <>
          <Bound
            key={`below ${range.score_below}`}
            label="Below"
            value={range.score_below}
            onChange={(score_below) => {
              onChange({ ...range, score_below });
            }}
          />
          <Bound
            key={`above ${range.score_above}`}
            label="Above"
            value={range.score_above}
            onChange={(score_above) => {
              onChange({ ...range, score_above });
            }}
          />
        </>
      )}
    </div>
  );
}

interface BoundProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function Bound({ label, value, onChange }: BoundProps) {
  const input = useRef<HTMLInputElement>(null);
  const apply = () => {
    const typed = input.current?.value ?? '';
    if (typed !== value) onChange(typed);
  };
  const applyOnEnter = (event: KeyboardEvent) => {
    if (event.key === 'Enter') apply();
  };
  return (
    <label className="field">
      <span>{label}</span>
      <input
        ref={input}
        type="number"
        placeholder={label}
        step="any"
        size={6}
        defaultValue={value}
        onBlur={apply}
        onKeyDown={applyOnEnter}
      />
    </label>
  );
}
