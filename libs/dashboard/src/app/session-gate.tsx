import type { CallerDetail } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Redirect, useLocation } from 'wouter';
import { accountQuery } from '../shared/account/account-query.js';
import { paths } from '../shared/navigation/paths.js';
import { ErrorNotice } from '../shared/ui/notice.js';
import { Page } from '../shared/ui/page.js';
import { lazyPage } from './lazy-page.js';
import styles from './layout.module.css';

const JoinPage = lazyPage(
  () => import('../features/sign-in/join-page.js'),
  (module) => module.JoinPage,
);
const SignInPage = lazyPage(
  () => import('../features/sign-in/sign-in-page.js'),
  (module) => module.SignInPage,
);

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
        <Page title="Dacapo is unavailable">
          <ErrorNotice
            title="Could not reach the collector."
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        </Page>
      </main>
    );
  }
  if (query.data === null) {
    return <SignInPage linkWasRefused={path === SIGN_IN_PATH && window.location.search !== ''} />;
  }
  if (path === SIGN_IN_PATH) return <Redirect to={paths.overview()} replace />;
  return children(query.data);
}
