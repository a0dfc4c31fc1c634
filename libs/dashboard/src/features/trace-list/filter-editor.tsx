import { type KeyboardEvent, type SyntheticEvent, useId, useState } from 'react';
import { type Condition, FILTER_KINDS, type FilterField, type TraceFilter } from './trace-filter.js';
import styles from './trace-filters.module.css';

interface FilterEditorProps {
  /** What is changed; a new condition is made when absent. */
  condition: Condition | undefined;
  /** Values that fields may have, by the fields' names; others can be typed. */
  suggestions: Partial<Record<string, readonly string[]>>;
  onApply: (condition: Condition) => void;
  onClose: () => void;
}

/** Makes a condition, or changes one. Escape leaves it. */
export function FilterEditor({ condition, suggestions, onApply, onClose }: FilterEditorProps) {
  const [kindId, setKindId] = useState(condition?.kind.id ?? 'name');
  const kind = FILTER_KINDS.find(({ id }) => id === kindId);
  if (kind === undefined) return null;
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const values = Object.fromEntries(
      kind.fields.flatMap((field) => {
        const value = valueOf(form, field);
        return value === '' ? [] : [[field.name, value]];
      }),
    );
    if (Object.keys(values).length === 0) onClose();
    else onApply({ kind, values });
  };
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
  };
  const title = condition ? 'Change a filter' : 'Add a filter';
  return (
    <form
      className={`card ${styles.editor ?? ''}`}
      role="dialog"
      aria-label={title}
      onSubmit={submit}
      onKeyDown={closeOnEscape}
    >
      <label className="field">
        <span>Filter by</span>
        <select
          value={kindId}
          autoFocus={!condition}
          onChange={(event) => {
            setKindId(event.target.value);
          }}
        >
          {FILTER_KINDS.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {kind.fields.map((field, index) => (
        <Field
          key={`${kindId} ${field.name}`}
          field={field}
          value={condition?.kind.id === kindId ? condition.values[field.name] : undefined}
          isFocused={condition !== undefined && index === 0}
          suggestions={suggestions[field.name]}
        />
      ))}
      <div className={styles.editorActions}>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="primary">
          Apply
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  field: FilterField;
  value: TraceFilter[string];
  isFocused: boolean;
  suggestions: readonly string[] | undefined;
}

function Field({ field, value = '', isFocused, suggestions }: FieldProps) {
  const listId = useId();
  const { name, label, input, isRequired = false, hint } = field;
  const common = { name, required: isRequired, autoFocus: isFocused };
  return (
    <label className="field">
      <span>{label}</span>
      {typeof input === 'object' ? (
        <select {...common} defaultValue={value}>
          {input.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          {...{
            text: {},
            number: { type: 'number', step: 'any', min: isScoreBound(name) ? undefined : 0 },
            time: TIME,
          }[input]}
          defaultValue={input === 'time' ? localTime(value) : value}
          placeholder={hint}
          list={suggestions && listId}
          autoComplete="off"
        />
      )}
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </label>
  );
}

const TIME = { type: 'datetime-local', step: 1 };

const isScoreBound = (name: string): boolean => name.startsWith('score_');

function valueOf(form: FormData, { name, input }: FilterField): string {
  const value = form.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return input === 'time' && text !== '' ? new Date(text).toISOString() : text;
}

/** A time of the service as the reader's clock shows it, as the browser's field for times takes it. */
function localTime(timestamp: string): string {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) return '';
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 19);
}
