import type { ApiKeySummary } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useRef } from 'react';
import { client } from '../../shared/http/client.js';
import dialogStyles from '../../shared/ui/dialog.module.css';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { ShownOnce } from '../../shared/ui/shown-once.js';
import styles from './api-keys.module.css';
import { apiKeysQuery } from './api.js';

const OVERLAPS = [
  { seconds: 0, name: 'Now' },
  { seconds: 3600, name: 'In 1 hour' },
  { seconds: 86_400, name: 'In 1 day' },
  { seconds: 604_800, name: 'In 1 week' },
  { seconds: 2_592_000, name: 'In 30 days' },
];

/** Replaces a key, and shows the new one until the dialog closes. */
export function RotateApiKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: (overlap_s: number) => client.apiKeys.rotate({ id: apiKey.id, overlap_s }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    rotate.mutate(Number(new FormData(event.currentTarget).get('overlap')));
  };
  const close = () => dialog.current?.close();
  // Refetch on close, because the refetch re-renders the row that contains this dialog.
  const showRotated = () => {
    if (rotate.isSuccess) void queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  };
  return (
    <>
      <button type="button" className="small" onClick={() => dialog.current?.showModal()}>
        Rotate<span className="visually-hidden"> {apiKey.name}</span>
      </button>
      <dialog
        ref={dialog}
        className={dialogStyles.dialog}
        onClose={showRotated}
        aria-label={`Rotate ${apiKey.name}`}
      >
        <h2 className="two-lines">Rotate “{apiKey.name}”</h2>
        {rotate.isSuccess ? (
          <>
            <ShownOnce name={rotate.data.name} secret={rotate.data.api_key} what="API key" />
            <div className={dialogStyles.actions}>
              <button type="button" className="primary" onClick={close}>
                Done
              </button>
            </div>
          </>
        ) : (
          <form className={styles.rotate} onSubmit={submit}>
            <p>
              The new key has the same name, scopes and limit. Both keys work until the old one expires, so
              you can update your applications.
            </p>
            <label className="field">
              <span>Old key stops working</span>
              <select name="overlap" defaultValue={86_400}>
                {OVERLAPS.map(({ seconds, name }) => (
                  <option key={seconds} value={seconds}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            {rotate.isError && <ErrorNotice title="Could not rotate the key." error={rotate.error} />}
            <div className={dialogStyles.actions}>
              <button type="button" onClick={close}>
                Cancel
              </button>
              <button type="submit" className="primary" disabled={rotate.isPending}>
                Rotate key
              </button>
            </div>
          </form>
        )}
      </dialog>
    </>
  );
}
