import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { formatCount, formatQuantity } from '../format/format-count.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { ErrorNotice } from '../ui/notice.js';
import { type Previewed, previewQuery } from './api.js';
import styles from './deletion-dialog.module.css';

interface DeletionDialogProps {
  title: string;
  /** Counts the traces to delete. Absent when more than traces is deleted. */
  counts?: Previewed;
  /** The text to type as confirmation. Not required for one trace or none. */
  word: string;
  /** Label of the confirm button. */
  action: string;
  failure: string;
  /** Offers to keep dataset items and accepted outcomes. */
  offersCopies?: boolean;
  /** Allows confirming when no trace matches now. */
  mayBeEmpty?: boolean;
  onConfirm: (keepCopies: boolean) => Promise<unknown>;
  onClose: () => void;
  /** The effects of the deletion. */
  children: ReactNode;
}

/** A modal that counts what would be deleted, then asks for confirmation. Open while mounted. */
export function DeletionDialog(props: DeletionDialogProps) {
  const { title, counts, word, action, failure, offersCopies = false, mayBeEmpty = false, children } = props;
  const [typed, setTyped] = useState('');
  const preview = useQuery({ ...previewQuery(counts ?? { scope: {} }), enabled: counts !== undefined });
  const confirm = useMutation({ mutationFn: props.onConfirm });
  const { traces, spans, of_traces: all } = preview.data ?? { traces: 0, spans: 0 };
  const isCounted = counts === undefined || preview.isSuccess;
  const mustType = counts === undefined || traces > 1;
  const isPossible = isCounted && (counts === undefined || traces > 0 || mayBeEmpty);
  const isReady = isPossible && (!mustType || typed.trim() === word);
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isReady) return;
    const form = event.currentTarget;
    const keepCopies = new FormData(form).get('keep') === 'on';
    confirm.mutate(keepCopies, { onSuccess: () => form.closest('dialog')?.close() });
  };
  return (
    <Dialog title={title} isQuestion onClose={props.onClose}>
      <form className={styles.form} onSubmit={submit}>
        {counts !== undefined && !preview.isError && (
          <p className={styles.count} role="status">
            {preview.isPending && 'Counting …'}
            {preview.isSuccess &&
              (traces === 0
                ? all === undefined
                  ? 'No traces match now.'
                  : `0 of ${formatQuantity(all, 'trace')} are old enough to delete now.`
                : `${all === undefined ? '' : `${formatCount(traces)} of `}${formatQuantity(all ?? traces, 'trace')} with ${formatQuantity(spans, 'span')}`)}
          </p>
        )}
        <div className={styles.about}>{children}</div>
        {offersCopies && (
          <label className={styles.keep}>
            <input type="checkbox" name="keep" />
            <span>Keep datasets and accepted outcomes that were made from these traces</span>
          </label>
        )}
        {isPossible && mustType && (
          <label className="field">
            <span>
              Type <strong>{word}</strong> to confirm
            </span>
            <input
              value={typed}
              autoComplete="off"
              autoFocus
              onChange={(event) => {
                setTyped(event.target.value);
              }}
            />
          </label>
        )}
        {preview.isError && <ErrorNotice title="Could not count the traces." error={preview.error} />}
        {confirm.isError && <ErrorNotice title={failure} error={confirm.error} />}
        <DialogActions>
          <button type="submit" className="danger" disabled={!isReady || confirm.isPending}>
            {action}
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** What deleting traces also deletes. */
export function DeletionEffects() {
  return (
    <>
      <p>
        This also deletes their payloads, metadata and scores, and the traces that replays made from them. Run
        items and dataset items that were copied from these traces lose their content. Run items keep their
        verdicts.
      </p>
      <p>This cannot be undone. Backups keep the traces.</p>
    </>
  );
}
