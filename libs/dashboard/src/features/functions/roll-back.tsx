import { type FunctionVersionSummary, mayDecide } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery } from '../../shared/account/account-query.js';
import { usePageKeys } from '../../shared/keys/page-keys.js';
import { ActivateDialog } from './activate-dialog.js';
import { findActive, findRollback } from './versions.js';

/** Goes back to the version before the active one. Renders nothing without one, and for those who may not. */
export function RollBack({ versions }: { versions: readonly FunctionVersionSummary[] }) {
  const account = useQuery(accountQuery);
  const [isOpen, setIsOpen] = useState(false);
  const previous = account.data != null && mayDecide(account.data) ? findRollback(versions) : undefined;
  const label = `Roll back to version ${previous?.version}`;
  const open = () => {
    setIsOpen(true);
  };
  usePageKeys(previous ? [{ key: 'b', action: label.toLowerCase(), run: open }] : []);
  if (previous === undefined) return null;
  return (
    <>
      <button type="button" aria-keyshortcuts="b" title="Key: b" onClick={open}>
        {label}
      </button>
      {isOpen && (
        <ActivateDialog
          version={previous}
          active={findActive(versions)}
          onClose={() => {
            setIsOpen(false);
          }}
        />
      )}
    </>
  );
}
