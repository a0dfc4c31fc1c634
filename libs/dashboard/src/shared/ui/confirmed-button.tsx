import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import styles from './dialog.module.css';
import { ErrorNotice } from './notice.js';

interface ConfirmedButtonProps {
  /** What it does, such as `Revoke`. */
  verb: string;
  /** What it is done to. */
  name: string;
  /** On the button that does it, such as `Revoke key`. */
  action: string;
  /** When it was not done. */
  failure: string;
  onConfirm: () => Promise<unknown>;
  /** What that means. */
  children: ReactNode;
}

/** A button for what cannot be undone: it is done once the reader has seen what that means. */
export function ConfirmedButton({ verb, name, action, failure, onConfirm, children }: ConfirmedButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const mutation = useMutation({ mutationFn: onConfirm });
  return (
    <>
      <button type="button" className="small danger" onClick={() => dialog.current?.showModal()}>
        {verb}
        <span className="visually-hidden"> {name}</span>
      </button>
      <dialog ref={dialog} className={styles.dialog} aria-label={`${verb} ${name}`}>
        <h2 className="two-lines">
          {verb} “{name}”?
        </h2>
        <p>{children}</p>
        {mutation.isError && <ErrorNotice title={failure} error={mutation.error} />}
        <div className={styles.actions}>
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button
            type="button"
            className="danger"
            disabled={mutation.isPending}
            onClick={() => {
              mutation.mutate();
            }}
          >
            {action}
          </button>
        </div>
      </dialog>
    </>
  );
}
