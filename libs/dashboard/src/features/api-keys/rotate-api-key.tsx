import type { ApiKeySummary } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { client } from '../../shared/http/client.js';
import { Dialog, DialogActions } from '../../shared/ui/dialog.js';
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
  const [isOpen, setIsOpen] = useState(false);
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: (overlap_s: number) => client.apiKeys.rotate({ id: apiKey.id, overlap_s }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    rotate.mutate(Number(new FormData(event.currentTarget).get('overlap')));
  };
  const close = () => {
    setIsOpen(false);
    // Not earlier: the refetch renders the row of this dialog anew.
    if (rotate.isSuccess) void queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
    rotate.reset();
  };
  return (
    <>
      <button
        type="button"
        className="small"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        Rotate<span className="visually-hidden"> {apiKey.name}</span>
      </button>
      {isOpen && (
        <Dialog
          title={`Rotate “${apiKey.name}”`}
          label={`Rotate ${apiKey.name}`}
          isQuestion={!rotate.isSuccess}
          onClose={close}
        >
          {rotate.isSuccess ? (
            <ShownOnce name={rotate.data.name} secret={rotate.data.api_key} what="API key" />
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
              <DialogActions>
                <button type="submit" className="primary" disabled={rotate.isPending}>
                  Rotate key
                </button>
              </DialogActions>
            </form>
          )}
        </Dialog>
      )}
    </>
  );
}
