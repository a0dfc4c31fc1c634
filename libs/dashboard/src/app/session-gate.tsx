import type { CallerDetail } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Redirect, useLocation } from 'wouter';
import { accountQuery } from '../shared/account/account-query.js';
import { JoinPage } from '../features/sign-in/join-page.js';
import { SignInPage } from '../features/sign-in/sign-in-page.js';
import { paths } from '../shared/navigation/paths.js';
import { ErrorNotice } from '../shared/ui/notice.js';
import styles from './layout.module.css';

const SIGN_IN_PATH = '/sign-in';

/** Shows the pages when signed in, and the sign-in page at any address otherwise. */
export function SessionGate({ children }: { children: (account: CallerDetail) => ReactNode }) {
  const query = useQuery(accountQuery);
  const [path] = useLocation();
  if (path === paths.join()) return <JoinPage />;
  if (query.isPending) return null;
  if (query.isError) {
    return (
      <main className={styles.main}>
        <ErrorNotice
          title="Dacapo is unavailable."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      </main>
    );
  }
  if (query.data === null)
    return <SignInPage linkWasRefused={path === SIGN_IN_PATH && window.location.search !== ''} />;
  if (path === SIGN_IN_PATH) return <Redirect to={paths.traces()} replace />;
  return children(query.data);
}
