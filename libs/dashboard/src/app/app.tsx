import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  type QueryState,
} from '@tanstack/react-query';
import { endSession } from '../features/sign-in/end-session.js';
import { ErrorBoundary } from './error-boundary.js';
import { Layout } from './layout.js';
import { lazyPage } from './lazy-page.js';
import { Pages, preloadPage } from './pages.js';
import { SessionGate } from './session-gate.js';
import { accountQuery } from '../shared/account/account-query.js';
import { ApiError } from '../shared/http/api-error.js';
import { sharedSecret } from '../shared/http/shared-link.js';
import { paths } from '../shared/navigation/paths.js';

const SharedPage = lazyPage(
  () => import('./shared-page.js'),
  (module) => module.SharedPage,
);

const queryClient = createQueryClient(endSession);

export function App() {
  return (
    <ErrorBoundary frame="main">
      <QueryClientProvider client={queryClient}>
        {sharedSecret === undefined ? (
          <SessionGate>
            {(account) => (
              <Layout account={account}>
                <Pages />
              </Layout>
            )}
          </SessionGate>
        ) : (
          <SharedPage secret={sharedSecret} />
        )}
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

/** Loads the account, the code of the page and its first data in parallel. The page shows the errors of requests that failed. */
export async function loadFirst(): Promise<void> {
  const address = new URL(window.location.href);
  if (address.pathname === paths.join() || sharedSecret !== undefined) return;
  await Promise.allSettled([preloadPage(queryClient, address), queryClient.query(accountQuery)]);
}

/** The first requests are sent before the page is rendered, which takes less than this. */
const FRESH_MS = 5_000;

/** The page shows this answer, and does not ask again. */
function isFreshNotFound({ error, errorUpdatedAt }: QueryState): boolean {
  return error instanceof ApiError && error.status === 404 && Date.now() - errorUpdatedAt < FRESH_MS;
}

/** Retries network errors and 5xx twice. Calls `onSignedOut` on a 401. */
function createQueryClient(onSignedOut: (client: QueryClient) => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) onSignedOut(client);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retryOnMount: ({ state }) => !isFreshNotFound(state),
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (attempt) => 500 * 2 ** attempt,
      },
    },
  });
  return client;
}
