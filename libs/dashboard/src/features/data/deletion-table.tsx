import type { DeletionRecord, DeletionState } from '@dacapo/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Badge, type BadgeTone } from '../../shared/ui/badge.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { Time } from '../../shared/ui/time.js';
import { deletionsQuery } from './api.js';
import styles from './data-page.module.css';
import { describeCounts, describeScope } from './describe-deletion.js';

const TONES: Record<Exclude<DeletionState, 'done'>, BadgeTone> = { waiting: 'neutral', running: 'warning' };
const REASONS: Record<DeletionRecord['reason'], string> = {
  request: 'on request',
  retention: 'by a retention rule',
  account: 'with the account',
};

/** Finished and running deletions with their progress. */
export function DeletionTable() {
  const query = useInfiniteQuery(deletionsQuery);
  const deletions = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className={styles.section} aria-label="Deletions">
      <div>
        <h2>Deletions</h2>
        <p className="muted">
          Deletions run in the background and survive restarts. Finished deletions are listed for 400 days.
        </p>
      </div>
      {deletions.length === 0 ? (
        <p className="muted">No deletions yet.</p>
      ) : (
        <div className="table-frame" tabIndex={0} role="group" aria-label="Deletions table">
          <table>
            <thead>
              <tr>
                <th>Scope</th>
                <th>State</th>
                <th>Deleted</th>
                <th>Requested</th>
                <th>Finished</th>
              </tr>
            </thead>
            <tbody>
              {deletions.map((deletion) => (
                <DeletionRow key={deletion.id} deletion={deletion} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div>
        <LoadMore {...query} />
      </div>
    </section>
  );
}

function DeletionRow({ deletion }: { deletion: DeletionRecord }) {
  const {
    state,
    reason,
    counts,
    created_at: createdAt,
    ended_at: endedAt,
    error,
    waiting_for: waitingFor,
    keep_copies: keeps,
    erased_later: isErasedLater,
  } = deletion;
  return (
    <tr>
      <td>
        <span className="two-lines">{describeScope(deletion)}</span>
        <span className="muted">
          {REASONS[reason]}
          {keeps && ', dataset copies kept'}
        </span>
        {waitingFor !== undefined && (
          <p>Everything is deleted. The last bytes on disk wait for {waitingFor}.</p>
        )}
        {isErasedLater && <p>The bytes on disk stay until the database reuses their space.</p>}
        {error !== undefined && (
          <p className={styles.failed}>{error}. The collector retries within a minute.</p>
        )}
      </td>
      <td aria-live="polite">
        {state === 'done' ? (
          <span className="muted">done</span>
        ) : (
          <Badge tone={error === undefined ? TONES[state] : 'error'}>{state}</Badge>
        )}
      </td>
      <td>{describeCounts(counts)}</td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>{endedAt === undefined ? <span className="muted">–</span> : <Time at={endedAt} />}</td>
    </tr>
  );
}
