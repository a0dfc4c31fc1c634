import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { formatCount, formatCountOf } from '../format/format-count.js';
import dialogStyles from '../ui/dialog.module.css';
import { ErrorNotice } from '../ui/notice.js';
import { type Previewed, previewQuery } from './api.js';
import styles from './deletion-dialog.module.css';

interface DeletionDialogProps {
  title: string;
  /** Whose traces go, which are counted; absent where there is more to go than traces. */
  counts?: Previewed;
  /** What must be typed, unless one trace goes, or none. */
  word: string;
  /** On the button that does it. */
  action: string;
  failure: string;
  /** Whether copies that somebody made on purpose may be left. */
  offersCopies?: boolean;
  /** Whether it makes sense where no trace goes now. */
  mayBeEmpty?: boolean;
  onConfirm: (keepCopies: boolean) => Promise<unknown>;
  onClose: () => void;
  /** What goes, and what that means. */
  children: ReactNode;
}

/** Says what would go, counted, before it goes; what is more than a trace is typed first. It is open as long as it is there. */
export function DeletionDialog(props: DeletionDialogProps) {
  const { title, counts, word, action, failure, offersCopies = false, mayBeEmpty = false, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const preview = useQuery({ ...previewQuery(counts ?? { scope: {} }), enabled: counts !== undefined });
  const confirm = useMutation({ mutationFn: props.onConfirm, onSuccess: () => dialog.current?.close() });
  const { traces, spans, of_traces: all } = preview.data ?? { traces: 0, spans: 0 };
  const isCounted = counts === undefined || preview.isSuccess;
  const mustType = counts === undefined || traces > 1;
  const isPossible = isCounted && (counts === undefined || traces > 0 || mayBeEmpty);
  const isReady = isPossible && (!mustType || typed.trim() === word);
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isReady) confirm.mutate(new FormData(event.currentTarget).get('keep') === 'on');
  };
  return (
    <dialog ref={dialog} className={dialogStyles.dialog} onClose={props.onClose} aria-label={title}>
      <h2 className="two-lines">{title}</h2>
      <form className={styles.form} onSubmit={submit}>
        {counts !== undefined && !preview.isError && (
          <p className={styles.count} role="status">
            {preview.isPending && 'Counting …'}
            {preview.isSuccess &&
              (traces === 0
                ? all === undefined
                  ? 'There is no such trace now.'
                  : `None of ${formatCountOf(all, 'trace')} is too old now.`
                : `${all === undefined ? '' : `${formatCount(traces)} of `}${formatCountOf(all ?? traces, 'trace')} with ${formatCountOf(spans, 'span')}`)}
          </p>
        )}
        <div className={styles.about}>{children}</div>
        {offersCopies && (
          <label className={styles.keep}>
            <input type="checkbox" name="keep" />
            <span>Leave datasets and accepted outcomes that were made of them</span>
          </label>
        )}
        {isPossible && mustType && (
          <label className="field">
            <span>
              Type <strong>{word}</strong> to go on
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
        {preview.isError && <ErrorNotice title="It could not be counted." error={preview.error} />}
        {confirm.isError && <ErrorNotice title={failure} error={confirm.error} />}
        <div className={dialogStyles.actions}>
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
          <button type="submit" className="danger" disabled={!isReady || confirm.isPending}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** What goes with traces that somebody deletes. */
export function WhatGoes() {
  return (
    <>
      <p>
        With them go their payloads, metadata and scores, and the traces that test runs made by playing them.
        Items of test runs keep their verdicts and lose their content; so do items of datasets that were
        copied from them.
      </p>
      <p>This cannot be undone. Backups hold what they held.</p>
    </>
  );
}
