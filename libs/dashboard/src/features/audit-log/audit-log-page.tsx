import type { AuditEntry } from '@dacapo/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { SignedInBy } from '../../shared/ui/signed-in-by.js';
import { Time } from '../../shared/ui/time.js';

const auditQuery = pagedQuery(['audit log'], (page, options) =>
  client.audit.list({ limit: 50, ...page }, options),
);

export function AuditLogPage() {
  const query = useInfiniteQuery(auditQuery);
  const entries = query.data?.pages.flatMap((page) => page.items) ?? [];
  const refresh = () => void query.refetch();
  return (
    <Page
      title="Audit log"
      about="Changes of the last 400 days and who made them. Recorded traces are not listed."
      actions={<RefreshButton onClick={refresh} />}
    >
      {query.isError && (
        <ErrorNotice title="Could not load the audit log." error={query.error} onRetry={refresh} />
      )}
      {query.isPending && <LoadingRows what="the audit log" />}
      {query.isSuccess && entries.length === 0 && <EmptyState title="No changes yet." />}
      {entries.length > 0 && <AuditTable entries={entries} />}
      <div>
        <LoadMore {...query} />
      </div>
    </Page>
  );
}

function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Changes table">
      <table className="lines-on-phones">
        <thead>
          <tr>
            <th>Time</th>
            <th>Action</th>
            <th>Object</th>
            <th>Author</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, index) => (
            <tr key={index}>
              <td>
                <Time at={entry.at} />
              </td>
              <td>
                <code className="nowrap">{entry.action}</code>
              </td>
              <td>
                <code className="two-lines">{entry.object}</code>
              </td>
              <td>
                <SignedInBy {...entry} />
                {entry.browser_session_id !== undefined && <span className="muted"> in a browser</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
