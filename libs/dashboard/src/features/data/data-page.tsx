import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../shared/http/client.js';
import { accountQuery } from '../../shared/account/account-query.js';
import { DeletionDialog } from '../../shared/deletions/deletion-dialog.js';
import { ApiError } from '../../shared/http/api-error.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { deletionsQuery, retentionQuery } from './api.js';
import styles from './data-page.module.css';
import { DeleteTraces } from './delete-traces.js';
import { DeletionTable } from './deletion-table.js';
import { Retention } from './retention.js';

/** Retention and deletion of data. */
export function DataPage() {
  const retention = useQuery(retentionQuery);
  const deletions = useInfiniteQuery(deletionsQuery);
  const error = retention.error ?? deletions.error;
  const isForbidden = error instanceof ApiError && error.status === 403;
  const retry = () => {
    void retention.refetch();
    void deletions.refetch();
  };
  return (
    <Page
      title="Data"
      about="Set how long traces are kept, and delete traces with everything copied from them."
    >
      {error && (
        <ErrorNotice
          title={isForbidden ? 'You cannot delete data of this account.' : 'Could not load this page.'}
          error={error}
          onRetry={retry}
        />
      )}
      {retention.isPending && <Loading what="retention" />}
      {!error && retention.data && deletions.data && (
        <>
          <Retention policy={retention.data} />
          <DeleteTraces />
          <DeletionTable />
          <DeleteAccount />
        </>
      )}
    </Page>
  );
}

function DeleteAccount() {
  const queryClient = useQueryClient();
  const account = useQuery(accountQuery);
  const [isOpen, setIsOpen] = useState(false);
  const name = account.data?.name ?? '';
  if (name === '') return null;
  return (
    <section className={styles.section} aria-label="Delete account">
      <div>
        <h2>Delete account</h2>
        <p className="muted">
          Deletes all traces, runs, datasets, indexes, native functions, keys and members, and ends all
          access.
        </p>
      </div>
      <div>
        <button
          type="button"
          className="danger"
          onClick={() => {
            setIsOpen(true);
          }}
        >
          Delete account …
        </button>
      </div>
      {isOpen && (
        <DeletionDialog
          title={`Delete account “${name}”?`}
          word={name}
          action="Delete account"
          failure="Could not delete the account."
          onConfirm={async () => {
            await client.accounts.delete();
            // The next request shows the sign-in page.
            void queryClient.invalidateQueries();
          }}
          onClose={() => {
            setIsOpen(false);
          }}
        >
          <p>
            All data of the account is deleted. The collector rejects its keys at once and signs everyone out.
            This cannot be undone.
          </p>
        </DeletionDialog>
      )}
    </section>
  );
}
