import type { BrowserSessionSummary } from '@dacapo/protocol';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { Badge } from '../../shared/ui/badge.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { SignedInBy } from '../../shared/ui/signed-in-by.js';
import { Time } from '../../shared/ui/time.js';
import { browserSessionsQuery } from './api.js';
import styles from './browser-sessions.module.css';

/** The signed-in browsers, with buttons to sign them out. */
export function BrowserSessionsSection() {
  const queryClient = useQueryClient();
  const query = useQuery(browserSessionsQuery);
  const endAll = useMutation({
    mutationFn: () => client.browserSessions.endAll(),
    // This browser is signed out too: the next request shows the sign-in page.
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const sessions = query.data?.items ?? [];
  return (
    <section className={styles.section} aria-label="Signed-in browsers">
      <header className={styles.header}>
        <div>
          <h2>Signed-in browsers</h2>
          <p className="muted">
            A browser has the permissions of the key or member that it signed in with. Revoking the key or
            removing the member signs it out.
          </p>
        </div>
        <button
          type="button"
          disabled={endAll.isPending}
          onClick={() => {
            endAll.mutate();
          }}
        >
          Sign out everywhere
        </button>
      </header>
      {endAll.isError && <ErrorNotice title="Could not sign out all browsers." error={endAll.error} />}
      {query.isError && (
        <ErrorNotice
          title="Could not load the signed-in browsers."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <Loading what="signed-in browsers" />}
      {sessions.length > 0 && <SessionTable sessions={sessions} />}
    </section>
  );
}

function SessionTable({ sessions }: { sessions: BrowserSessionSummary[] }) {
  return (
    <div className="table-frame">
      <table>
        <thead>
          <tr>
            <th>Browser</th>
            <th>Signed in with</th>
            <th>Signed in</th>
            <th>Last used</th>
            <th className="number">
              <span className="visually-hidden">Sign out</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SessionRow({ session }: { session: BrowserSessionSummary }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => client.browserSessions.end({ id: session.id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: browserSessionsQuery.queryKey }),
  });
  const browser = session.browser ?? 'Unknown browser';
  return (
    <tr>
      <td>
        <strong>{browser}</strong> {session.is_current && <Badge tone="neutral">this browser</Badge>}
        {end.isError && <ErrorNotice title="Could not sign out this browser." error={end.error} />}
      </td>
      <td>
        <SignedInBy {...session} />
      </td>
      <td>
        <Time at={session.created_at} />
      </td>
      <td>{session.last_used_at !== undefined && <Time at={session.last_used_at} />}</td>
      <td className="number">
        <button
          type="button"
          className="small"
          disabled={end.isPending}
          onClick={() => {
            end.mutate();
          }}
        >
          Sign out<span className="visually-hidden"> {browser}</span>
        </button>
      </td>
    </tr>
  );
}
