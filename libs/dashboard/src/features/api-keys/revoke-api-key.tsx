import type { ApiKeySummary } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ErrorNotice } from '../../shared/ui/notice.js';
import styles from './api-keys.module.css';
import { apiKeysQuery, revokeApiKey } from './api.js';

/** Revokes a key, once the reader has seen what that means. */
export function RevokeApiKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeApiKey(apiKey.id),
    onSuccess: () => client.invalidateQueries({ queryKey: apiKeysQuery.queryKey }),
  });
  return (
    <>
      <button type="button" className="small danger" onClick={() => dialog.current?.showModal()}>
        Revoke<span className="visually-hidden"> {apiKey.name}</span>
      </button>
      <dialog ref={dialog} className={styles.dialog} aria-label={`Revoke ${apiKey.name}`}>
        <h2 className="two-lines">Revoke “{apiKey.name}”?</h2>
        <p>
          Applications that use this key are refused from then on, and browsers that signed in with it are
          signed out. This cannot be undone.
        </p>
        {revoke.isError && <ErrorNotice title="The key was not revoked." error={revoke.error} />}
        <div className={styles.dialogActions}>
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button
            type="button"
            className="danger"
            disabled={revoke.isPending}
            onClick={() => {
              revoke.mutate();
            }}
          >
            Revoke key
          </button>
        </div>
      </dialog>
    </>
  );
}
