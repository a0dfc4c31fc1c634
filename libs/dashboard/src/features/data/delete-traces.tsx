import type { CreateDeletionRequest } from '@dacapo/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { createDeletion } from '../../shared/deletions/api.js';
import { DeletionDialog, DeletionEffects } from '../../shared/deletions/deletion-dialog.js';
import { KeySelect } from '../../shared/trace-function-key/key-select.js';
import { daysAgo, deletionsQuery } from './api.js';
import styles from './data-page.module.css';
import { describeScope } from './describe-deletion.js';

const MAX_DAYS = 36_500;

/** Deletes traces by session, user, key and age, after a preview of their number. */
export function DeleteTraces() {
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const [scope, setScope] = useState<CreateDeletionRequest>();
  const [isUnfiltered, setIsUnfiltered] = useState(false);
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const [session, user, days] = [text('session'), text('user'), text('days')];
    const chosen = {
      ...(session !== '' && { session_id: session }),
      ...(user !== '' && { user_id: user }),
      ...(key !== '' && { trace_function_key: key }),
      ...(days !== '' && { before: daysAgo(Number(days)) }),
    };
    const isEmpty = Object.keys(chosen).length === 0;
    setIsUnfiltered(isEmpty);
    if (!isEmpty) setScope(chosen);
  };
  return (
    <section className={styles.section} aria-label="Delete traces">
      <div>
        <h2>Delete traces</h2>
        <p className="muted">
          Deletes traces that match all of these. You see how many before anything is deleted.
        </p>
      </div>
      <form className="fields" onSubmit={submit}>
        <label className="field">
          <span>Session id</span>
          <input name="session" autoComplete="off" placeholder="Any" />
        </label>
        <label className="field">
          <span>User id</span>
          <input name="user" autoComplete="off" placeholder="Any" />
        </label>
        <KeySelect value={key} none="Any key" onChange={setKey} />
        <label className="field">
          <span>Older than (days)</span>
          <input name="days" type="number" min={0} max={MAX_DAYS} placeholder="Any" className={styles.days} />
        </label>
        <button type="submit" className="danger">
          Delete traces …
        </button>
        {isUnfiltered && (
          <p className={styles.failed} role="alert">
            No filter is set. Enter a session, a user, a key or an age. To delete everything, delete the
            account below.
          </p>
        )}
      </form>
      {scope !== undefined && (
        <DeletionDialog
          title={`Delete ${describeScope({ reason: 'request', state: 'waiting', scope })}?`}
          counts={{ scope }}
          word={scope.session_id ?? scope.user_id ?? scope.trace_function_key ?? 'delete'}
          action="Delete traces"
          failure="Could not delete the traces."
          offersCopies
          mayBeEmpty={scope.before !== undefined}
          onConfirm={async (keepCopies) => {
            await createDeletion({ ...scope, ...(keepCopies && { keep_copies: true }) });
            await client.invalidateQueries({ queryKey: deletionsQuery.queryKey });
          }}
          onClose={() => {
            setScope(undefined);
          }}
        >
          <DeletionEffects />
        </DeletionDialog>
      )}
    </section>
  );
}
