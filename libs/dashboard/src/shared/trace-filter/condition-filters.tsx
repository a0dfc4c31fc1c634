import { type ReactNode, useRef, useState } from 'react';
import { AddFilter } from './add-filter.js';
import {
  type Condition,
  describe,
  type FilterKind,
  readConditions,
  toParameters,
  type TraceFilter,
} from './trace-filter.js';
import styles from './trace-filter.module.css';

interface ConditionFiltersProps {
  /** What is filtered: "Filter traces". */
  label: string;
  /** The filters to choose from. */
  kinds: readonly FilterKind[];
  filter: TraceFilter;
  /** The names in the filter that "Clear filters" removes. */
  cleared: readonly string[];
  onChange: (change: TraceFilter) => void;
  /** The filters in the bar. */
  children: ReactNode;
}

/** A bar of filters, every other condition as a chip below it, and a button that adds one. */
export function ConditionFilters(props: ConditionFiltersProps) {
  const { label, kinds, filter, cleared, onChange, children } = props;
  const [edited, setEdited] = useState<{ condition?: Condition }>();
  const add = useRef<HTMLButtonElement>(null);
  const change = (changed: TraceFilter) => {
    setEdited(undefined);
    add.current?.focus();
    onChange(changed);
  };
  const edit = (next: { condition?: Condition } | undefined) => {
    setEdited(next);
    if (next === undefined) add.current?.focus();
  };
  const apply = (condition: Condition) => {
    const parameters = toParameters(condition);
    const hasTimes = condition.kind.id === 'started';
    change({ ...withoutCondition(edited?.condition), ...parameters, ...(hasTimes && { range: undefined }) });
  };
  return (
    <div className={styles.filters} role="search" aria-label={label}>
      <div className={`bar-fields ${styles.bar ?? ''}`}>
        {children}
        <AddFilter kinds={kinds} edited={edited} button={add} onEdit={edit} onApply={apply} />
      </div>
      {cleared.length > 0 && (
        <ul className={styles.chips} aria-label="Filters">
          {readConditions(filter).map((condition) => (
            <Chip
              key={JSON.stringify(condition.values)}
              {...describe(condition)}
              onEdit={() => {
                setEdited({ condition });
              }}
              onRemove={() => {
                change(withoutCondition(condition));
              }}
            />
          ))}
          <li>
            <button
              type="button"
              className="small plain"
              onClick={() => {
                change(Object.fromEntries(cleared.map((name) => [name, undefined])));
              }}
            >
              Clear filters
            </button>
          </li>
        </ul>
      )}
    </div>
  );
}

interface ChipProps {
  label: string;
  text: string;
  onEdit: () => void;
  onRemove: () => void;
}

function Chip({ label, text, onEdit, onRemove }: ChipProps) {
  return (
    <li className={styles.chip}>
      <button type="button" className="small plain" title={`Edit: ${label} ${text}`} onClick={onEdit}>
        <span className="muted">{label}</span> <span className={styles.chipText}>{text}</span>
      </button>
      <button
        type="button"
        className="small plain"
        aria-label={`Remove filter ${label} ${text}`}
        onClick={onRemove}
      >
        ×
      </button>
    </li>
  );
}

function withoutCondition(condition: Condition | undefined): TraceFilter {
  const names = condition ? Object.keys(toParameters(condition)) : [];
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
