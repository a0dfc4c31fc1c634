import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type SyntheticEvent, useId, useState } from 'react';
import { suggestionsQuery } from './suggestions.js';
import type { Condition, FilterField, FilterKind, TraceFilter } from './trace-filter.js';
import styles from './trace-filter.module.css';

interface FilterEditorProps {
  /** The filters to choose from. */
  kinds: readonly FilterKind[];
  /** The condition to edit. Absent for a new one. */
  condition: Condition | undefined;
  onApply: (condition: Condition) => void;
  onClose: () => void;
}

/** Adds or edits a condition. Escape closes the editor. */
export function FilterEditor({ kinds, condition, onApply, onClose }: FilterEditorProps) {
  const [kindId, setKindId] = useState(condition?.kind.id ?? kinds[0]?.id ?? '');
  const [path, setPath] = useState(condition?.values['path'] ?? '');
  const kind = kinds.find(({ id }) => id === kindId);
  if (kind === undefined) return null;
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const values = Object.fromEntries(
      kind.fields.flatMap((field) => {
        const value = readValue(form, field);
        return value === '' ? [] : [[field.name, value]];
      }),
    );
    if (Object.keys(values).length === 0) onClose();
    else onApply({ kind, values });
  };
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
  };
  const title = condition ? 'Edit filter' : 'Add filter';
  return (
    <div className={styles.editor} role="dialog" aria-label={title} onKeyDown={closeOnEscape}>
      <form onSubmit={submit}>
        <label className="field">
          <span>Filter by</span>
          <select
            value={kindId}
            autoFocus={!condition}
            onChange={(event) => {
              setKindId(event.target.value);
            }}
          >
            {kinds.map(({ id, label }) => (
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
            path={path}
            onType={field.name === 'path' ? setPath : undefined}
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
    </div>
  );
}

interface FieldProps {
  field: FilterField;
  value: TraceFilter[string];
  isFocused: boolean;
  /** The metadata path, for suggestions of a metadata value. */
  path: string;
  onType: ((text: string) => void) | undefined;
}

function Field({ field, value = '', isFocused, path, onType }: FieldProps) {
  const listId = useId();
  const [typed, setTyped] = useState(value);
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
          list={field.suggests && listId}
          autoComplete="off"
          onChange={({ target }) => {
            setTyped(target.value);
            onType?.(target.value);
          }}
        />
      )}
      {field.suggests && <Suggestions id={listId} suggests={field.suggests} typed={typed} path={path} />}
    </label>
  );
}

interface SuggestionsProps {
  id: string;
  suggests: NonNullable<FilterField['suggests']>;
  typed: string;
  path: string;
}

/** Suggests all values if they are few, else those that start with the typed text. */
function Suggestions({ id, suggests, typed, path }: SuggestionsProps) {
  const isOfPath = suggests === 'metadata_value';
  const at = isOfPath ? path.trim() : '';
  const isEnabled = !isOfPath || PATH.test(at);
  const all = useQuery({ ...suggestionsQuery(suggests, '', at), enabled: isEnabled });
  const isMany = all.data?.has_more === true;
  const matching = useQuery({
    ...suggestionsQuery(suggests, typed, at),
    enabled: isEnabled && isMany && typed !== '',
  });
  const values = isEnabled
    ? [...(isMany && typed !== '' ? (matching.data?.items ?? []) : []), ...(all.data?.items ?? [])]
    : [];
  return (
    <datalist id={id}>
      {[...new Set(values)].map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

/** The paths that the service accepts. */
const PATH = /^[^."]+(?:\.[^."]+){0,5}$/;

const TIME = { type: 'datetime-local', step: 1 };

const isScoreBound = (name: string): boolean => name.startsWith('score_');

function readValue(form: FormData, { name, input }: FilterField): string {
  const value = form.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return input === 'time' && text !== '' ? new Date(text).toISOString() : text;
}

/** A timestamp in the reader's zone, in the format of `datetime-local` inputs. */
function localTime(timestamp: string): string {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) return '';
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 19);
}
