import type { CreateShareLinkRequest } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { Link } from 'wouter';
import { client } from '../http/client.js';
import { paths } from '../navigation/paths.js';
import { Dialog } from '../ui/dialog.js';
import { setInitialFocus } from '../ui/initial-focus.js';
import { ErrorNotice } from '../ui/notice.js';
import { ShownOnce } from '../ui/shown-once.js';
import { shareLinksQuery } from './api.js';
import styles from './share-dialog.module.css';

export type ShareTarget = { trace_id: string } | { test_run_id: string };

const DAY_S = 24 * 3600;
const LIVES = [
  { days: 1, name: 'In 1 day' },
  { days: 7, name: 'In 7 days' },
  { days: 30, name: 'In 30 days' },
  { days: 90, name: 'In 90 days' },
];
const USUAL_DAYS = 7;

interface ShareDialogProps {
  target: ShareTarget;
  onClose: () => void;
}

/** Makes a share link, and shows it once. */
export function ShareDialog({ target, onClose }: ShareDialogProps) {
  const what = 'trace_id' in target ? 'trace' : 'run';
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: (request: CreateShareLinkRequest) => client.shareLinks.create(request),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: shareLinksQuery.queryKey }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    create.mutate({
      ...target,
      payloads: form.has('payloads'),
      expires_in_s: Number(form.get('days')) * DAY_S,
    });
  };
  return (
    <Dialog title={`Share this ${what}`} onClose={onClose}>
      {create.isSuccess ? (
        <>
          <ShownOnce name="Share link" secret={create.data.link} what="share link" />
          <p className="muted">
            Revoke it under <Link href={paths.shareLinks()}>Share links</Link>. It also ends when the {what}{' '}
            is deleted.
          </p>
        </>
      ) : (
        <form className={styles.form} onSubmit={submit}>
          <p>Anyone with the link can see this {what} without signing in, and nothing else.</p>
          <label className={styles.choice}>
            <input type="checkbox" name="payloads" ref={setInitialFocus} />
            <span>
              With inputs and outputs
              <span className={`muted ${styles.hint ?? ''}`}>
                Otherwise only names, times, usage and {what === 'run' ? 'verdicts' : 'status'}.
              </span>
            </span>
          </label>
          <label className="field">
            <span>Expires</span>
            <select name="days" defaultValue={USUAL_DAYS}>
              {LIVES.map(({ days, name }) => (
                <option key={days} value={days}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          {create.isError && <ErrorNotice title="Could not create the link." error={create.error} />}
          <button type="submit" className="primary" disabled={create.isPending}>
            Create link
          </button>
        </form>
      )}
    </Dialog>
  );
}
