import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { accountQuery } from '../../shared/account/account-query.js';
import { DeletionDialog } from '../../shared/deletions/deletion-dialog.js';
import { ApiError } from '../../shared/http/api-error.js';
import { paths } from '../../shared/navigation/paths.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { deleteAccount, deletionsQuery, retentionQuery } from './api.js';
import styles from './data-page.module.css';
import { DeleteTraces } from './delete-traces.js';
import { DeletionTable } from './deletion-table.js';
import { Retention } from './retention.js';

/** How long data are kept, and how they are deleted. */
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
      above={<Link href={paths.apiKeys()}>API keys</Link>}
      about="How long traces are kept, and how they are deleted: whole, with all that was copied from them."
    >
      {error && (
        <ErrorNotice
          title={isForbidden ? 'You may not delete data of this account.' : 'The page could not be loaded.'}
          error={error}
          {...(!isForbidden && { onRetry: retry })}
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
  const client = useQueryClient();
  const account = useQuery(accountQuery);
  const [isOpen, setIsOpen] = useState(false);
  const name = account.data?.name ?? '';
  if (name === '') return null;
  return (
    <section className={styles.section} aria-label="Delete the account">
      <div>
        <h2>Delete the account</h2>
        <p className="muted">
          With its traces, test runs, datasets, indexes, native functions, keys and members. Nobody gets in
          from then on.
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
          Delete the account …
        </button>
      </div>
      {isOpen && (
        <DeletionDialog
          title={`Delete the account “${name}”?`}
          word={name}
          action="Delete the account"
          failure="The account was not deleted."
          onConfirm={async () => {
            await deleteAccount();
            // Whatever is asked next shows the sign-in page.
            void client.invalidateQueries();
          }}
          onClose={() => {
            setIsOpen(false);
          }}
        >
          <p>
            All of it goes. Applications that send with its keys are refused at once, and everybody is signed
            out. This cannot be undone.
          </p>
        </DeletionDialog>
      )}
    </section>
  );
}
