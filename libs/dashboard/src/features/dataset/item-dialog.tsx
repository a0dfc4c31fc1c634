import { type DatasetItem, type DatasetItemInput, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Dialog } from '../../shared/ui/dialog.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import { type DatasetEdit, editDataset } from './api.js';
import { type Draft, FieldEditor, readDraft, toDraft } from './field-editor.js';
import styles from './item-dialog.module.css';

interface ItemDialogProps extends Pick<DatasetEdit, 'name' | 'version'> {
  /** Absent: the dialog adds an item. */
  item?: DatasetItem;
  onSaved: (version: number) => void;
  onClose: () => void;
}

interface Drafts {
  input: Draft;
  expected: Draft;
  metadata: Draft;
}

/** Adds an item, or changes one. Saving makes the next version: versions never change. */
export function ItemDialog({ name, version, item, onSaved, onClose }: ItemDialogProps) {
  const queries = useQueryClient();
  const [initial] = useState(() => toDrafts(item));
  const [drafts, setDrafts] = useState(initial);
  const save = useMutation({
    mutationFn: async () => {
      const items = [applyDrafts(item, initial, drafts)];
      const { version: made } = await editDataset({ name, version, items });
      // The page shows the new version at once.
      await queries.invalidateQueries({ queryKey: ['dataset', name] });
      return made;
    },
    onSuccess: onSaved,
  });
  const title = item === undefined ? 'Add item' : 'Edit item';
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const edit = (field: keyof Drafts) => (draft: Draft) => {
    setDrafts((before) => ({ ...before, [field]: draft }));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.item} onSubmit={submit}>
        {item?.meta === undefined ? (
          <FieldEditor
            label={initial.input.form === 'JSON' ? 'Input, a list of arguments' : 'Input'}
            initial={initial.input}
            isFocused
            onChange={edit('input')}
          />
        ) : (
          <Locked label="Input" value={item.input} />
        )}
        {item?.expected_meta === undefined ? (
          <FieldEditor label="Expected" initial={initial.expected} onChange={edit('expected')} />
        ) : (
          <Locked label="Expected" value={item.expected ?? null} />
        )}
        <FieldEditor
          label="Metadata (JSON object)"
          initial={initial.metadata}
          isAlwaysJson
          rows={2}
          onChange={edit('metadata')}
        />
        {save.isError && <ErrorNotice title="Could not save the item." error={save.error} />}
        <div className={styles.actions}>
          <span className="muted">Saves version {version + 1}.</span>
          <button type="submit" className="primary" disabled={save.isPending}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A value with notes: editing its JSON would lose what they hold. */
function Locked({ label, value }: { label: string; value: JsonValue }) {
  return (
    <div className={styles.field}>
      <p className={styles.label}>{label}</p>
      <p className="muted">
        This value has types, cuts or masked parts that JSON cannot hold, so it stays as it is. To change it,
        add an item in code.
      </p>
      <div className={styles.locked}>
        <ValueBlock value={value} />
      </div>
    </div>
  );
}

function toDrafts(item: DatasetItem | undefined): Drafts {
  const { input = [''], expected, metadata } = item ?? {};
  const [only] = input;
  return {
    input: toDraft(input.length === 1 && typeof only === 'string' ? only : input),
    expected: toDraft(expected),
    metadata: toDraft(metadata, 'JSON'),
  };
}

/** What was not edited keeps its value and its notes. @throws {Error} when a field cannot be stored */
function applyDrafts(item: DatasetItem | undefined, initial: Drafts, drafts: Drafts): DatasetItemInput {
  const isEdited = (field: keyof Drafts) =>
    initial[field].text !== drafts[field].text || initial[field].form !== drafts[field].form;
  const expected = isEdited('expected') ? readDraft(drafts.expected) : item?.expected;
  const metadata = isEdited('metadata') ? readDraft(drafts.metadata) : item?.metadata;
  if (metadata !== undefined && !isJsonObject(metadata)) throw new Error('Metadata must be a JSON object.');
  return {
    ...(item && pickKept(item)),
    input: item === undefined || isEdited('input') ? readArguments(drafts.input) : item.input,
    ...(expected !== undefined && { expected }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** What the dialog does not change. */
function pickKept({ id, meta, expected_meta, source }: DatasetItem): Omit<DatasetItemInput, 'input'> {
  return { id, ...(meta && { meta }), ...(expected_meta && { expected_meta }), ...(source && { source }) };
}

/** A text is the only argument; JSON is the list of them. */
function readArguments(draft: Draft): JsonValue[] {
  if (draft.form === 'text') return [draft.text];
  const value = readDraft(draft);
  if (!Array.isArray(value)) throw new Error('Input must be a list of arguments, such as ["text", 7].');
  return value;
}
