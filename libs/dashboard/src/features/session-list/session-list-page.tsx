import type { SessionSummary } from '@dacapo/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { Snippet } from '../../shared/ui/snippet.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { Time } from '../../shared/ui/time.js';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';

const sessionsQuery = pagedQuery(['sessions'], (page, options) =>
  client.traces.listSessions({ limit: 50, ...page }, options),
);

export function SessionListPage() {
  const query = useInfiniteQuery(sessionsQuery);
  const sessions = query.data?.pages.flatMap((page) => page.items) ?? [];
  const refresh = () => void query.refetch();
  return (
    <Page
      title="Sessions"
      about="Traces that share a session id, such as the turns of one conversation."
      actions={<RefreshButton onClick={refresh} />}
    >
      {query.isError && (
        <ErrorNotice title="Could not load the sessions." error={query.error} onRetry={refresh} />
      )}
      {query.isPending && <Loading what="sessions" />}
      {query.isSuccess && sessions.length === 0 && <NoSessions />}
      {sessions.length > 0 && <SessionTable sessions={sessions} />}
      <div>
        <LoadMore {...query} />
      </div>
    </Page>
  );
}

function SessionTable({ sessions }: { sessions: SessionSummary[] }) {
  return (
    <div className="table-frame">
      <table>
        <thead>
          <tr>
            <th>Session</th>
            <th className="number">Traces</th>
            <th>First trace</th>
            <th>Latest trace</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <LinkRow key={session.session_id} href={paths.traces({ session_id: session.session_id })}>
              <td>
                <Link className="cover two-lines" href={paths.traces({ session_id: session.session_id })}>
                  {session.session_id}
                </Link>
              </td>
              <td className="number">{formatCount(session.trace_count)}</td>
              <td>
                <Time at={session.first_started_at} />
              </td>
              <td>
                <Time at={session.last_started_at} />
              </td>
            </LinkRow>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoSessions() {
  return (
    <EmptyState title="No sessions yet.">
      <p>Set a session id inside a traced call. Traces with the same session id are grouped here.</p>
      <Snippet
        title="Inside a traced method"
        code={`import { getCurrentTrace } from '@dacapo/tracer';\n\ngetCurrentTrace()?.setSessionId(conversation.id);`}
      />
    </EmptyState>
  );
}
