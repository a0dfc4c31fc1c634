import type { JsonValue } from '@dacapo/protocol';
import { useId, useState } from 'react';
import { jsonText } from '../../shared/json/json-text.js';
import { setInitialFocus } from '../../shared/ui/initial-focus.js';
import styles from './item-dialog.module.css';
import { parseJson } from './parse-json.js';

type Form = 'text' | 'JSON';

export interface Draft {
  form: Form;
  text: string;
}

/** A text is edited as it is, anything else as JSON. */
export function toDraft(value: JsonValue | undefined, form: Form = 'text'): Draft {
  return value === undefined || typeof value === 'string'
    ? { form, text: value ?? '' }
    : { form: 'JSON', text: jsonText(value) };
}

/** `undefined` for an empty field. @throws {Error} for JSON that cannot be stored */
export function readDraft({ form, text }: Draft): JsonValue | undefined {
  if (form === 'text') return text === '' ? undefined : text;
  return text.trim() === '' ? undefined : parseJson(text);
}

interface FieldEditorProps {
  label: string;
  initial: Draft;
  /** Metadata is always JSON. */
  isAlwaysJson?: boolean;
  rows?: number;
  isFocused?: boolean;
  onChange: (draft: Draft) => void;
}

/** A value of an item, as plain text or as JSON. */
export function FieldEditor(props: FieldEditorProps) {
  const { label, initial, isAlwaysJson = false, rows = 5, isFocused = false, onChange } = props;
  const [draft, setDraft] = useState(initial);
  const id = useId();
  const change = (next: Draft) => {
    setDraft(next);
    onChange(next);
  };
  return (
    <div className={styles.field}>
      <div className={styles.label}>
        <label htmlFor={id}>{label}</label>
        {!isAlwaysJson && (
          <label className={styles.form}>
            <input
              type="checkbox"
              checked={draft.form === 'JSON'}
              onChange={({ target }) => {
                change({ ...draft, form: target.checked ? 'JSON' : 'text' });
              }}
            />{' '}
            JSON
          </label>
        )}
      </div>
      <textarea
        id={id}
        className="mono"
        rows={rows}
        value={draft.text}
        ref={isFocused ? setInitialFocus : undefined}
        spellCheck={false}
        onChange={({ target }) => {
          change({ ...draft, text: target.value });
        }}
      />
    </div>
  );
}
