import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { accountQuery } from '../../shared/account/account-query.js';
import { createDeletion } from '../../shared/deletions/api.js';
import { DeletionDialog, DeletionEffects } from '../../shared/deletions/deletion-dialog.js';
import { paths } from '../../shared/navigation/paths.js';
import { Menu } from '../../shared/ui/menu.js';

/** Deletes one trace, then opens the deletion list. Renders nothing without the `manage` scope. */
export function DeleteTrace({ traceId }: { traceId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [, navigate] = useLocation();
  const account = useQuery(accountQuery);
  if (!account.data?.scopes.includes('manage')) return null;
  const scope = { trace_ids: [traceId] };
  return (
    <>
      <Menu label="Actions for this trace">
        <button
          type="button"
          className="danger"
          data-closes-menu
          onClick={() => {
            setIsOpen(true);
          }}
        >
          Delete trace …
        </button>
      </Menu>
      {isOpen && (
        <DeletionDialog
          title="Delete this trace?"
          counts={{ scope }}
          word="delete"
          action="Delete trace"
          failure="Could not delete the trace."
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
