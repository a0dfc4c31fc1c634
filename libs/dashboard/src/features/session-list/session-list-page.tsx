import type { SessionSummary } from '@dacapo/protocol';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { ArrivedButton } from '../../shared/live/arrived-button.js';
import { LiveButton, useLiveChoice } from '../../shared/live/live-button.js';
import { mergeLiveRows } from '../../shared/live/merge-live-rows.js';
import { useNewest } from '../../shared/live/use-newest.js';
import { paths } from '../../shared/navigation/paths.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Snippet } from '../../shared/ui/snippet.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { Time } from '../../shared/ui/time.js';
import { client } from '../../shared/http/client.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { pagedQuery } from '../../shared/http/page-query.js';

const listSessions = (page: { cursor?: string | undefined }, { signal }: { signal: AbortSignal }) =>
  client.traces.listSessions({ limit: 50, ...page }, { signal });

const sessionsQuery = pagedQuery(['sessions'], listSessions);

export const firstRequests: FirstRequests = (queries) => [queries.infiniteQuery(sessionsQuery)];

export function SessionListPage() {
  const queries = useQueryClient();
  const query = useInfiniteQuery(sessionsQuery);
  const [isLive, toggleLive] = useLiveChoice();
  const newest = useNewest(
    sessionsQuery.queryKey,
    (options) => listSessions({}, options),
    isLive && query.isSuccess,
  );
  const loaded = query.data?.pages.flatMap((page) => page.items) ?? [];
  const merged = mergeLiveRows(loaded, newest?.items ?? [], ({ session_id: id }) => id);
  // Under nothing, nothing moves.
  const { rows: sessions, arrived } = loaded.length > 0 ? merged : { rows: merged.arrived, arrived: [] };
  const showArrived = () => {
    if (newest === undefined) return;
    queries.setQueryData(sessionsQuery.queryKey, { pages: [newest], pageParams: [undefined] });
    scrollTo({ top: 0 });
  };
  return (
    <Page
      title="Sessions"
      about="Traces that share a session id, such as the turns of one conversation."
      actions={
        <>
          <ArrivedButton count={arrived.length} onShow={showArrived} />
          <LiveButton isLive={isLive} onToggle={toggleLive} />
        </>
      }
    >
      {query.isError && (
        <ErrorNotice
          title="Could not load the sessions."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <LoadingRows what="sessions" />}
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
            <LinkRow key={session.session_id} href={paths.session(session.session_id)}>
              <td>
                <Link className="cover two-lines" href={paths.session(session.session_id)}>
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
