import type { TraceSummary } from '@dacapo/protocol';
import { lazy, Suspense, useEffect } from 'react';
import { Link } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { type PageKey, usePageKeys } from '../../shared/keys/page-keys.js';
import { ArrivedButton } from '../../shared/live/arrived-button.js';
import { LiveButton, useLiveChoice } from '../../shared/live/live-button.js';
import { paths, readPathId } from '../../shared/navigation/paths.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { sessionQuery } from './api.js';
import styles from './session.module.css';
import { TurnItem } from './turn-item.js';
import { useIsNear } from './use-is-near.js';
import { useLiveTurns } from './use-live-turns.js';

const DeleteMenu = lazy(async () => ({
  default: (await import('../../shared/deletions/delete-menu.js')).DeleteMenu,
}));

const TURNS = '[aria-label="Turns"] > li';

const KEYS: readonly PageKey[] = [
  {
    key: 'r',
    action: 'copy the command that replays from the turn with the focus',
    run: () => {
      document.activeElement?.closest(TURNS)?.querySelector<HTMLElement>('header button')?.click();
    },
  },
  { key: 'f', action: 'next failed turn', run: focusNextFailure },
];

export const firstRequests: FirstRequests = (queries, { pathname }) => [
  queries.infiniteQuery(sessionQuery(readPathId(pathname))),
];

/** The conversation of a session, oldest turn first. */
export function SessionPage({ sessionId }: { sessionId: string }) {
  const [isLive, toggleLive] = useLiveChoice();
  const { query, turns, arrived, showArrived } = useLiveTurns(sessionId, isLive, focusTurn);
  usePageKeys(KEYS);
  const refresh = () => void query.refetch();
  return (
    <Page
      title={sessionId}
      above={<Link href={paths.sessions()}>← Sessions</Link>}
      about={turns.length > 0 && <Totals turns={turns} isWhole={!query.hasNextPage} />}
      actions={
        <>
          <Link href={paths.traces({ session_id: sessionId })} className="button">
            Traces
          </Link>
          <LiveButton isLive={isLive} onToggle={toggleLive} />
          <Suspense>
            <DeleteMenu what="session" scope={{ session_id: sessionId }} word={sessionId} />
          </Suspense>
        </>
      }
    >
      {query.isPending && <Loading what="the session" />}
      {query.isError && (
        <ErrorNotice title="Could not load the session." error={query.error} onRetry={refresh} />
      )}
      {query.isSuccess && turns.length === 0 && !query.hasNextPage && (
        <EmptyState title="No recorded traces in this session.">
          <p>
            Its traces were deleted, or all of them are{' '}
            <Link href={paths.traces({ session_id: sessionId, replays: 'only' })}>replays</Link>.
          </p>
        </EmptyState>
      )}
      <ol className={styles.turns} aria-label="Turns">
        {turns.map((trace, index) => (
          <TurnItem key={trace.id} trace={trace} sessionId={sessionId} place={index + 1} />
        ))}
      </ol>
      {/* Each page has an end of its own, which is observed when its turns are there. */}
      <End key={turns.length} {...query} />
      <ArrivedButton
        count={arrived}
        what={arrived === 1 ? 'new turn' : 'new turns'}
        edge="bottom"
        onShow={showArrived}
      />
    </Page>
  );
}

/** Loads the next page when the reader comes near the end. */
function End(query: Parameters<typeof LoadMore>[0] & { isError: boolean }) {
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  const { setElement, isNear } = useIsNear();
  const isDue = isNear && hasNextPage && !isFetchingNextPage && !isError;
  useEffect(() => {
    if (isDue) fetchNextPage();
  }, [isDue, fetchNextPage]);
  return (
    <div ref={setElement}>
      <LoadMore {...query} />
    </div>
  );
}

function Totals({ turns, isWhole }: { turns: readonly TraceSummary[]; isWhole: boolean }) {
  const failed = turns.filter(({ status }) => status === 'error').length;
  return (
    <>
      {isWhole ? formatQuantity(turns.length, 'turn') : `the first ${turns.length} turns`}
      {failed > 0 && <span className={styles.error}> · {failed} failed</span>}
    </>
  );
}

/** The first failed turn after the one with the focus. Wraps around. */
function focusNextFailure(): void {
  const turns = [...document.querySelectorAll<HTMLElement>(TURNS)];
  const at = turns.findIndex((turn) => turn.contains(document.activeElement));
  const isFailed = (turn: HTMLElement) => turn.dataset['failed'] === 'true';
  const next = turns.findIndex((turn, index) => index > at && isFailed(turn));
  focusTurn(next < 0 ? turns.findIndex(isFailed) : next);
}

function focusTurn(place: number): void {
  const turn = document.querySelectorAll<HTMLElement>(TURNS)[place];
  turn?.querySelector<HTMLElement>('[data-row]')?.focus({ preventScroll: true });
  turn?.scrollIntoView({ block: 'nearest' });
}
