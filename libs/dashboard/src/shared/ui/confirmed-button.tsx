import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { createPortal } from 'react-dom';
import styles from './dialog.module.css';
import { ErrorNotice } from './notice.js';

interface ConfirmedButtonProps {
  /** Label of the button, such as `Revoke`. */
  verb: string;
  /** Name of the affected thing. */
  name: string;
  /** Label of the confirm button, such as `Revoke key`. */
  action: string;
  /** Title of the error notice. */
  failure: string;
  onConfirm: () => Promise<unknown>;
  /** The effects of the action. */
  children: ReactNode;
}

/** An action of a menu that cannot be undone. A dialog explains the effects first, outside the menu, which closes. */
export function ConfirmedButton({ verb, name, action, failure, onConfirm, children }: ConfirmedButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const mutation = useMutation({ mutationFn: onConfirm });
  return (
    <>
      <button
        type="button"
        className="danger"
        onClick={({ currentTarget: button }) => {
          // The focus returns to what has it now: the menu's button, once the menu is closed.
          button.closest<HTMLElement>('[popover]')?.hidePopover();
          dialog.current?.showModal();
        }}
      >
        {verb}
        <span className="visually-hidden"> {name}</span>
      </button>
      {createPortal(
        <dialog ref={dialog} className={styles.dialog} aria-label={`${verb} ${name}`}>
          <h2 className="two-lines">
            {verb} “{name}”?
          </h2>
          <p>{children}</p>
          {mutation.isError && <ErrorNotice title={failure} error={mutation.error} />}
          <div className={styles.actions}>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
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
        </dialog>,
        document.body,
      )}
    </>
  );
}
