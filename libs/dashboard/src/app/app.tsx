import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { endSession } from '../features/sign-in/end-session.js';
import { ErrorBoundary } from './error-boundary.js';
import { Layout } from './layout.js';
import { Pages } from './pages.js';
import { SessionGate } from './session-gate.js';
import { ApiError } from '../shared/http/api-error.js';

const queryClient = createQueryClient(endSession);

export function App() {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <SessionGate>
          {(account) => (
            <Layout account={account}>
              <Pages />
            </Layout>
          )}
        </SessionGate>
      </QueryClientProvider>
    </ErrorBoundary>
  );
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
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (attempt) => 500 * 2 ** attempt,
      },
    },
  });
  return client;
}
