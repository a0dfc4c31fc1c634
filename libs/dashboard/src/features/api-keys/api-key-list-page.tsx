import { useQuery } from '@tanstack/react-query';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { FormDialog } from '../../shared/ui/form-dialog.js';
import { Page } from '../../shared/ui/page.js';
import { ApiKeyTable } from './api-key-table.js';
import { apiKeysQuery } from './api.js';
import { BrowserSessionsSection } from './browser-sessions.js';
import { CreateApiKey } from './create-api-key.js';

export function ApiKeyListPage() {
  const query = useQuery(apiKeysQuery);
  const keys = query.data?.items ?? [];
  return (
    <Page
      title="API keys"
      actions={
        !query.isError && (
          <FormDialog title="New key">
            <CreateApiKey />
          </FormDialog>
        )
      }
      about="Keys authenticate applications, builds and people. The collector stores only their hashes."
    >
      {query.isError && (
        <ErrorNotice
          title="Could not load the API keys."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <LoadingRows what="API keys" />}
      {query.isSuccess && keys.length === 0 && (
        <EmptyState title="No API keys.">
          <p>Create one for each application.</p>
        </EmptyState>
      )}
      {keys.length > 0 && <ApiKeyTable apiKeys={keys} />}
      {query.isSuccess && <BrowserSessionsSection />}
    </Page>
  );
}
