import { SPAN_STATUSES } from '@dacapo/protocol';
import { useRef } from 'react';
import { KeySelect } from '../../shared/trace-function-key/key-select.js';
import type { TraceFilter } from './api.js';

interface TraceFiltersProps {
  filter: TraceFilter;
  onChange: (change: Partial<TraceFilter>) => void;
}

export function TraceFilters({ filter, onChange }: TraceFiltersProps) {
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <div className="fields" role="search" aria-label="Filter traces">
      <KeySelect
        value={filter.trace_function_key}
        onChange={(trace_function_key) => {
          onChange({ trace_function_key });
        }}
      />
      <label className="field">
        <span>Status</span>
        <select
          value={filter.status}
          onChange={(event) => {
            onChange({ status: event.target.value });
          }}
        >
          <option value="">Any status</option>
          {SPAN_STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <SessionFilter
        key={filter.session_id}
        sessionId={filter.session_id}
        onChange={(session_id) => {
          onChange({ session_id });
        }}
      />
      {isFiltered && (
        <button
          type="button"
          className="plain"
          onClick={() => {
            onChange({ trace_function_key: '', session_id: '', status: '' });
          }}
        >
          Clear filters
        </button>
      )}
    </div>
  );
}

interface SessionFilterProps {
  sessionId: string;
  onChange: (sessionId: string) => void;
}

function SessionFilter({ sessionId, onChange }: SessionFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  const apply = () => {
    const typed = input.current?.value.trim() ?? '';
    if (typed !== sessionId) onChange(typed);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label className="field">
        <span>Session id</span>
        <input
          ref={input}
          type="search"
          defaultValue={sessionId}
          placeholder="exact id, then Enter"
          onBlur={apply}
        />
      </label>
    </form>
  );
}
