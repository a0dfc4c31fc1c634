import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.js';

interface FormDialogProps {
  /** Label of the button and title of the dialog, such as `New key`. */
  title: string;
  /** A form. */
  children: ReactNode;
}

/** The primary button of a list. It opens a form. */
export function FormDialog({ title, children }: FormDialogProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="primary"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        {title}
      </button>
      {isOpen && (
        <Dialog
          title={title}
          onClose={() => {
            setIsOpen(false);
          }}
        >
          {children}
        </Dialog>
      )}
    </>
  );
}
