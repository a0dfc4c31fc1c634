import { AMOUNTS, QueryLineError, SPAN_STATUSES, TRACE_SORTS, type TraceSort } from '@dacapo/protocol';
import { type SyntheticEvent, useEffect, useRef } from 'react';
import { ConditionFilters } from '../../shared/trace-filter/condition-filters.js';
import {
  FILTER_KINDS,
  readLine,
  type TraceFilter,
  writeWords,
} from '../../shared/trace-filter/trace-filter.js';
import { KeySelect } from '../../shared/trace-function-key/key-select.js';
import { TimeRangeSelect } from '../../shared/ui/time-range-select.js';
import styles from './trace-filters.module.css';

const sortLabel = (sort: TraceSort): string => (sort === 'time' ? 'Newest first' : AMOUNTS[sort].sorted);

interface TraceFiltersProps {
  filter: TraceFilter;
  onChange: (change: TraceFilter) => void;
}

/** The most common filters in a bar, every other condition as a chip below it. */
export function TraceFilters({ filter, onChange }: TraceFiltersProps) {
  const { trace_function_key: key = '', status = '', sort = 'time' } = filter;
  const hasOwnTimes = (filter['since'] ?? filter['until']) !== undefined;
  return (
    <ConditionFilters
      label="Filter traces"
      kinds={FILTER_KINDS}
      filter={filter}
      cleared={Object.keys(filter).filter((name) => name !== 'sort')}
      onChange={onChange}
    >
      <LineSearch words={writeWords(filter)} onChange={onChange} />
      <KeySelect
        value={key}
        onChange={(trace_function_key) => {
          onChange({ trace_function_key });
        }}
      />
      <label className="field">
        <span>Status</span>
        <select
          value={status}
          onChange={(event) => {
            onChange({ status: event.target.value });
          }}
        >
          <option value="">Any status</option>
          {SPAN_STATUSES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <TimeRangeSelect
        range={hasOwnTimes ? 'own' : (filter['range'] ?? '')}
        none="Any time"
        own={hasOwnTimes ? 'Custom' : undefined}
        onChange={(range) => {
          onChange({ range, since: undefined, until: undefined });
        }}
      />
      <label className="field">
        <span>Sort</span>
        <select
          value={sort}
          onChange={(event) => {
            onChange({ sort: event.target.value === 'time' ? undefined : event.target.value });
          }}
        >
          {TRACE_SORTS.map((each) => (
            <option key={each} value={each}>
              {sortLabel(each)}
            </option>
          ))}
        </select>
      </label>
    </ConditionFilters>
  );
}

interface LineSearchProps {
  words: string;
  onChange: (change: TraceFilter) => void;
}

/** Words and conditions, applied on Enter or blur: conditions become filters. The key `/` focuses it. */
function LineSearch({ words, onChange }: LineSearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.value = words;
  }, [words]);
  const apply = () => {
    const typed = input.current?.value.trim() ?? '';
    try {
      if (typed !== words) onChange(readLine(typed));
      input.current?.setCustomValidity('');
    } catch (error) {
      if (!(error instanceof QueryLineError)) throw error;
      input.current?.setCustomValidity(error.message);
      input.current?.reportValidity();
    }
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <form className={styles.search} onSubmit={submit}>
      <label className="field">
        <span className="visually-hidden">Text</span>
        <input
          ref={input}
          type="search"
          defaultValue={words}
          placeholder='Search: words, "a phrase", status:error, cost>0.01'
          aria-keyshortcuts="/"
          title="Searches names, inputs, outputs, errors and prompts. Adds filters: status:error model:gpt-5 cost>0.01. Press Enter to search."
          onChange={({ target }) => {
            target.setCustomValidity('');
            if (target.value === '') apply();
          }}
          onBlur={apply}
        />
      </label>
    </form>
  );
}
