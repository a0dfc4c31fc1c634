import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../shared/http/api-error.js';
import { client } from '../shared/http/client.js';
import { SharedLink } from '../shared/sharing/shared-link-context.js';
import { Logo } from '../shared/ui/logo.js';
import { EmptyState, ErrorNotice, Loading } from '../shared/ui/notice.js';
import { Page } from '../shared/ui/page.js';
import { Time } from '../shared/ui/time.js';
import { Keys } from './keys.js';
import { lazyPage } from './lazy-page.js';
import styles from './shared-page.module.css';

const TracePage = lazyPage(
  () => import('../features/trace-view/trace-page.js'),
  (module) => module.TracePage,
);
const SharedRunPage = lazyPage(
  () => import('../features/shared-run/shared-run-page.js'),
  (module) => module.SharedRunPage,
);

/** The page of a share link: one trace or one run, read only. */
export function SharedPage({ secret }: { secret: string }) {
  const query = useQuery({
    queryKey: ['shared'],
    queryFn: ({ signal }) => client.shared.get({ secret }, { signal }),
    staleTime: 60_000,
  });
  const link = query.data;
  const hasEnded = query.error instanceof ApiError && query.error.status === 404;
  return (
    <div>
      <header className={styles.header}>
        <Logo />
        {link && (
          <span className="muted">
            Shared {link.trace_id === undefined ? 'run' : 'trace'}, read only. The link expires{' '}
            <Time at={link.expires_at} zone />.
          </span>
        )}
      </header>
      <Keys />
      <main className={styles.main}>
        {query.isPending && <Loading what="the shared page" />}
        {hasEnded && (
          <Page title="This link shows nothing">
            <EmptyState title="The link is incomplete, has expired or was revoked.">
              <p>Copy the whole link, or ask for a new one.</p>
            </EmptyState>
          </Page>
        )}
        {query.isError && !hasEnded && (
          <Page title="Dacapo is unavailable">
            <ErrorNotice
              title="Could not load the shared page."
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          </Page>
        )}
        {link && (
          <SharedLink value={link}>
            {link.trace_id === undefined ? (
              <SharedRunPage testRunId={link.test_run_id ?? ''} />
            ) : (
              <TracePage traceId={link.trace_id} />
            )}
          </SharedLink>
        )}
      </main>
    </div>
  );
}
