import type { GridRow, TestRunItemSummary, TestRunRecord } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../shared/navigation/paths.js';
import { itemQuery } from '../../shared/test-run/queries.js';
import { testRunTitle } from '../../shared/test-run/test-run.js';
import { ErrorBlock } from '../../shared/ui/error-block.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import styles from './grid-table.module.css';

/** What each run returned or threw for one call. */
export function GridOutcomes({ runs, row }: { runs: readonly TestRunRecord[]; row: GridRow }) {
  return (
    <div className={styles.outcomes}>
      {runs.map((run, index) => {
        const item = row.cells[index]?.item;
        return (
          <section key={run.id} aria-label={testRunTitle(run)}>
            <h2>
              {testRunTitle(run)}
              {item?.new_trace_id !== undefined && (
                <>
                  {' '}
                  <Link href={paths.trace(item.new_trace_id, item.new_span_id)}>trace</Link>
                </>
              )}
            </h2>
            {item === undefined ? (
              <p className="muted">No such call in this run.</p>
            ) : (
              <Outcome testRunId={run.id} item={item} />
            )}
          </section>
        );
      })}
    </div>
  );
}

function Outcome({ testRunId, item }: { testRunId: string; item: TestRunItemSummary }) {
  const query = useQuery(itemQuery(testRunId, item));
  if (query.isPending) return <Loading what="the call" />;
  if (query.isError) return <ErrorNotice title="Could not load the call." error={query.error} />;
  const { error, result } = query.data;
  if (error !== undefined) return <ErrorBlock error={error} />;
  if (result === undefined) return <p className="muted">Returned undefined, or was not stored.</p>;
  return <ValueBlock value={result} />;
}
