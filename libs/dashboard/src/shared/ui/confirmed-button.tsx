import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog, DialogActions } from './dialog.js';
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
  const [isOpen, setIsOpen] = useState(false);
  const mutation = useMutation({ mutationFn: onConfirm });
  return (
    <>
      <button
        type="button"
        className="danger"
        onClick={({ currentTarget: button }) => {
          // The focus returns to what has it now: the menu's button, once the menu is closed.
          button.closest<HTMLElement>('[popover]')?.hidePopover();
          setIsOpen(true);
        }}
      >
        {verb}
        <span className="visually-hidden"> {name}</span>
      </button>
      {isOpen && (
        <Dialog
          title={`${verb} “${name}”?`}
          label={`${verb} ${name}`}
          isQuestion
          onClose={() => {
            setIsOpen(false);
          }}
        >
          <p>{children}</p>
          {mutation.isError && <ErrorNotice title={failure} error={mutation.error} />}
          <DialogActions>
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
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
