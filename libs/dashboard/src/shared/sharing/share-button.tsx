import { mayDecide } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { accountQuery } from '../account/account-query.js';
import { usePageKeys } from '../keys/page-keys.js';
import type { ShareTarget } from './share-dialog.js';

const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.js')).ShareDialog }));

/** Opens a form that makes a share link. Renders nothing for those who may not. */
export function ShareButton({ target }: { target: ShareTarget }) {
  const [isOpen, setIsOpen] = useState(false);
  const account = useQuery(accountQuery);
  const mayShare = account.data != null && mayDecide(account.data);
  const open = () => {
    setIsOpen(true);
  };
  usePageKeys(mayShare ? [{ key: 's', action: 'share', run: open }] : []);
  if (!mayShare) return null;
  return (
    <>
      <button type="button" aria-keyshortcuts="s" title="Key: s" onClick={open}>
        Share
      </button>
      {isOpen && (
        <Suspense>
          <ShareDialog
            target={target}
            onClose={() => {
              setIsOpen(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
