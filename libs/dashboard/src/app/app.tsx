import { QueryClientProvider } from '@tanstack/react-query';
import { endSession } from '../features/sign-in/end-session.js';
import { createQueryClient } from '../shared/http/query-client.js';
import { ErrorBoundary } from './error-boundary.js';
import { Layout } from './layout.js';
import { Pages } from './pages.js';
import { SessionGate } from './session-gate.js';

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
