import type { DatasetItem } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatQuantity } from '../../shared/format/format-count.js';
import { usePageKeys } from '../../shared/keys/page-keys.js';
import { replayDatasetCommand } from '../../shared/replay/replay-command.js';
import { ReplayCommandDialog } from '../../shared/replay/replay-dialog.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { editDataset } from './api.js';
import styles from './dataset-items.module.css';
import { ItemDialog } from './item-dialog.js';
import { SplitDialog } from './split-dialog.js';

interface ItemActionsProps {
  name: string;
  version: number;
  items: readonly DatasetItem[];
  /** Ids of the selected items. */
  chosen: ReadonlySet<string>;
  isEditable: boolean;
  onToggle: (id: string) => void;
  onEdited: (version: number) => void;
}

type Opened = 'add' | 'split' | 'replay' | { edit: DatasetItem };

/** What can be done with a version and its selected items, or with the row that has the focus. Each change makes a version. */
export function ItemActions(props: ItemActionsProps) {
  const { name, version, items, chosen, isEditable, onToggle, onEdited } = props;
  const queries = useQueryClient();
  const [opened, setOpened] = useState<Opened>();
  const [first] = chosen;
  const removal = useMutation({
    mutationFn: async () => {
      const { version: made } = await editDataset({ name, version, remove: [...chosen] });
      await queries.invalidateQueries({ queryKey: ['dataset', name] });
      return made;
    },
    onSuccess: onEdited,
  });
  const close = () => {
    setOpened(undefined);
  };
  const finish = (made: number) => {
    close();
    onEdited(made);
  };
  const edit = () => {
    const id = findFocusedItem() ?? (chosen.size === 1 ? first : undefined);
    const item = items.find((one) => one.id === id);
    if (item !== undefined && !item.erased) setOpened({ edit: item });
  };
  const open = (dialog: Opened) => () => {
    setOpened(dialog);
  };
  const isFilled = version > 0;
  const actions = [
    ...(isEditable ? [{ key: 'a', label: 'Add item', run: open('add') }] : []),
    ...(isFilled && isEditable ? [{ key: 's', label: 'Split', run: open('split') }] : []),
    ...(isFilled ? [{ key: 'r', label: 'Replay command', run: open('replay') }] : []),
    ...(isEditable && chosen.size === 1 ? [{ key: 'e', label: 'Edit', run: edit }] : []),
    ...(isEditable && chosen.size > 0
      ? [
          {
            key: 'Delete',
            label: 'Remove',
            run: () => {
              removal.mutate();
            },
          },
        ]
      : []),
  ];
  usePageKeys([
    ...(isFilled
      ? [
          {
            key: 'x',
            action: 'select the item',
            run: () => {
              const id = findFocusedItem();
              if (id !== undefined) onToggle(id);
            },
          },
        ]
      : []),
    ...(isEditable && chosen.size !== 1
      ? [{ key: 'e', action: 'edit the item with the focus', run: edit }]
      : []),
    ...actions.map(({ key, label, run }) => ({ key, action: label.toLowerCase(), run })),
  ]);
  return (
    <div className={styles.actions} role="group" aria-label="Actions">
      {actions.map(({ key, label, run }) => (
        <button
          key={key}
          type="button"
          className="small"
          aria-keyshortcuts={key}
          disabled={removal.isPending}
          onClick={run}
        >
          {label} <kbd aria-hidden="true">{key}</kbd>
        </button>
      ))}
      {chosen.size > 0 && <span role="status">{formatQuantity(chosen.size, 'item')} selected</span>}
      {removal.isError && <ErrorNotice title="Could not remove the items." error={removal.error} />}
      {opened === 'add' && <ItemDialog name={name} version={version} onSaved={finish} onClose={close} />}
      {typeof opened === 'object' && (
        <ItemDialog name={name} version={version} item={opened.edit} onSaved={finish} onClose={close} />
      )}
      {opened === 'split' && (
        <SplitDialog name={name} version={version} selected={[...chosen]} onClose={close} />
      )}
      {opened === 'replay' && (
        <ReplayCommandDialog
          code={replayDatasetCommand({ key: findKey(items), name, version })}
          what="these items"
          onClose={close}
        />
      )}
    </div>
  );
}

function findFocusedItem(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-row-id]')?.dataset['rowId'];
}

/** The key that most items were copied from. */
function findKey(items: readonly DatasetItem[]): string {
  const counts = new Map<string, number>();
  for (const { source } of items) {
    const key = source?.trace_function_key;
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, left], [, right]) => right - left);
  return most?.[0] ?? 'your-function';
}
