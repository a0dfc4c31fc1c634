import { type ReactNode, useRef } from 'react';
import styles from './dialog.module.css';

interface FormDialogProps {
  /** Label of the button and title of the dialog, such as `New key`. */
  title: string;
  /** A form. It stays mounted while the dialog is closed. */
  children: ReactNode;
}

/** The primary button of a list. It opens a form. */
export function FormDialog({ title, children }: FormDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" className="primary" onClick={() => dialog.current?.showModal()}>
        {title}
      </button>
      <dialog ref={dialog} className={styles.dialog} aria-label={title}>
        <header className={styles.header}>
          <h2>{title}</h2>
          <button type="button" className="small plain" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </header>
        {children}
      </dialog>
    </>
  );
}
