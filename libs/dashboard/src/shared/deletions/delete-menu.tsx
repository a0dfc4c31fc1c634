import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { accountQuery } from '../account/account-query.js';
import { paths } from '../navigation/paths.js';
import { Menu } from '../ui/menu.js';
import { createDeletion } from './api.js';
import { DeletionDialog, DeletionEffects } from './deletion-dialog.js';

interface DeleteMenuProps {
  what: 'trace' | 'session';
  scope: { trace_ids: string[] } | { session_id: string };
  /** The text to type if that is more than one trace. */
  word: string;
}

/** A menu that deletes what the page shows, then opens the deletion list. Renders nothing without the `manage` scope. */
export function DeleteMenu({ what, scope, word }: DeleteMenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [, navigate] = useLocation();
  const account = useQuery(accountQuery);
  if (!account.data?.scopes.includes('manage')) return null;
  return (
    <>
      <Menu label={`Actions for this ${what}`}>
        <button
          type="button"
          className="danger"
          data-closes-menu
          onClick={() => {
            setIsOpen(true);
          }}
        >
          Delete {what} …
        </button>
      </Menu>
      {isOpen && (
        <DeletionDialog
          title={`Delete this ${what}?`}
          counts={{ scope }}
          word={word}
          action={`Delete ${what}`}
          failure={`Could not delete the ${what}.`}
          offersCopies
          onConfirm={async (keepCopies) => {
            await createDeletion({ ...scope, ...(keepCopies && { keep_copies: true }) });
            navigate(paths.data());
          }}
          onClose={() => {
            setIsOpen(false);
          }}
        >
          <DeletionEffects />
        </DeletionDialog>
      )}
    </>
  );
}
