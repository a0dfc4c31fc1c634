import type { TraceSummary } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { lazy, Suspense, useState } from 'react';
import { formatQuantity } from '../../shared/format/format-count.js';
import { type PageKey, usePageKeys } from '../../shared/keys/page-keys.js';
import type { ReplayableCall } from '../../shared/replay/replay-command.js';
import styles from './bulk-actions.module.css';
import type { Selection } from './use-selection.js';

const AddToDataset = lazy(async () => ({ default: (await import('./add-to-dataset.js')).AddToDataset }));
const ReplayDialog = lazy(async () => ({
  default: (await import('../../shared/replay/replay-dialog.js')).ReplayDialog,
}));

/** Traces whose ids fit an address. */
const MOST_EXPORTED = 200;

type Opened = { dialog: 'dataset' | 'replay'; calls: readonly ReplayableCall[] };

/** What can be done with the selected traces, or with the row that has the focus. */
export function BulkActions({ selection, keys }: { selection: Selection; keys: readonly PageKey[] }) {
  const [opened, setOpened] = useState<Opened>();
  const { selected, clear, targets, toggleFocused } = selection;
  const open = (dialog: Opened['dialog']) => {
    const calls = targets().map(toCall);
    if (calls.length > 0) setOpened({ dialog, calls });
  };
  const close = () => {
    setOpened(undefined);
  };
  const actions = [
    {
      key: 'd',
      label: 'Add to dataset',
      run: () => {
        open('dataset');
      },
    },
    {
      key: 'r',
      label: 'Replay command',
      run: () => {
        open('replay');
      },
    },
    {
      key: 'e',
      label: 'Export',
      run: () => {
        exportTraces(targets());
      },
    },
  ];
  usePageKeys([
    { key: 'x', action: 'select the row', run: toggleFocused },
    ...actions.map(({ key, label, run }) => ({ key, action: `${label.toLowerCase()}: selected rows`, run })),
    ...(selected.length > 0 ? [{ key: 'Escape', action: 'clear the selection', run: clear }] : []),
    ...keys,
  ]);
  return (
    <footer className={styles.bar} data-selected={selected.length > 0}>
      {selected.length === 0 ? (
        <ul className={styles.hints} aria-label="Keys">
          <li>
            <kbd>j</kbd> <kbd>k</kbd> move
          </li>
          <li>
            <kbd>x</kbd> select
          </li>
          <li>
            <kbd>Enter</kbd> open
          </li>
          <li>
            <kbd>?</kbd> all keys
          </li>
        </ul>
      ) : (
        <>
          <span role="status">{formatQuantity(selected.length, 'trace')} selected</span>
          {actions.map(({ key, label, run }) => (
            <button key={key} type="button" className="small" aria-keyshortcuts={key} onClick={run}>
              {label} <kbd aria-hidden="true">{key}</kbd>
            </button>
          ))}
          <button type="button" className="small plain" onClick={clear}>
            Clear
          </button>
        </>
      )}
      <Suspense>
        {opened?.dialog === 'dataset' && <AddToDataset calls={opened.calls} onClose={close} />}
        {opened?.dialog === 'replay' && <ReplayDialog calls={opened.calls} onClose={close} />}
      </Suspense>
    </footer>
  );
}

function toCall({ id, trace_function_key, first_call }: TraceSummary): ReplayableCall {
  return { traceId: id, key: first_call?.trace_function_key ?? trace_function_key };
}

/** The browser stores the lines while they arrive. */
function exportTraces(traces: readonly TraceSummary[]): void {
  if (traces.length === 0) return;
  const ids = traces.slice(0, MOST_EXPORTED).map(({ id }) => ['trace_ids', id]);
  const link = document.createElement('a');
  link.href = `${API.traces.export.path}?${new URLSearchParams(ids).toString()}`;
  link.download = 'traces.ndjson';
  link.click();
}
