import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  /** Its name, if that is not the title. */
  label?: string;
  /** Has {@link DialogActions}, so that its title needs no "Close". */
  isQuestion?: boolean;
  className?: string | undefined;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A modal dialog that is open while it is mounted. Escape and its buttons close it: the focus returns to where it was, and `onClose` is
 * called. It is outside of the menu or the row that opened it.
 */
export function Dialog({
  title,
  label = title,
  isQuestion = false,
  className,
  onClose,
  children,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className={`${styles.dialog ?? ''} ${className ?? ''}`}
      aria-label={label}
      onClose={onClose}
    >
      <header className={styles.header}>
        <h2 className="two-lines">{title}</h2>
        {!isQuestion && (
          <button type="button" className="small plain" onClick={closeDialog}>
            Close
          </button>
        )}
      </header>
      {children}
    </dialog>,
    document.body,
  );
}

/** The buttons that answer a dialog, after "Cancel". */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className={styles.actions}>
      <button type="button" onClick={closeDialog}>
        Cancel
      </button>
      {children}
    </div>
  );
}

function closeDialog({ currentTarget }: MouseEvent<HTMLElement>): void {
  currentTarget.closest('dialog')?.close();
}
