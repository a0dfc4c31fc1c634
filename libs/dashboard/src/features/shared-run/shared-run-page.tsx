import { storedDecision } from '@dacapo/evaluation';
import type { TestRunItemSummary, TestRunRecord } from '@dacapo/protocol';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import { useSharedLink } from '../../shared/sharing/shared-link-context.js';
import { itemQuery, runQuery } from '../../shared/test-run/queries.js';
import { RunDecision, TestRunStatusBadge, testRunTitle } from '../../shared/test-run/test-run.js';
import { Badge, type BadgeTone } from '../../shared/ui/badge.js';
import { OutcomePair } from '../../shared/ui/comparison/outcome-pair.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Time } from '../../shared/ui/time.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import styles from './shared-run.module.css';

const TONES: Record<Exclude<TestRunItemSummary['verdict'], 'same'>, BadgeTone> = {
  changed: 'warning',
  unknown: 'warning',
  error: 'error',
};

const itemsQuery = (id: string) =>
  pagedQuery(['shared items', id], (page, options) =>
    client.testRuns.listItems({ id, limit: 50, ...page }, options),
  );

/** A run as the holder of a share link sees it: its decision, its figures and its calls. */
export function SharedRunPage({ testRunId }: { testRunId: string }) {
  const query = useQuery(runQuery(testRunId));
  const items = useInfiniteQuery(itemsQuery(testRunId));
  const run = query.data;
  const calls = items.data?.pages.flatMap((page) => page.items) ?? [];
  const failed = [query, items].find(({ isError }) => isError);
  return (
    <Page title={run === undefined ? 'Run' : testRunTitle(run)} about={run && <About run={run} />}>
      {failed?.error && <ErrorNotice title="Could not load the run." error={failed.error} />}
      {query.isPending && <Loading what="the run" />}
      {run && <Totals run={run} />}
      {items.isSuccess && calls.length === 0 && <EmptyState title="No calls in this run." />}
      {calls.length > 0 && (
        <ol className={styles.calls} aria-label="Replayed calls">
          {calls.map((item) => (
            <SharedCall key={`${item.item_no} ${item.repetition ?? 0}`} testRunId={testRunId} item={item} />
          ))}
        </ol>
      )}
      <div>
        <LoadMore {...items} />
      </div>
    </Page>
  );
}

function About({ run }: { run: TestRunRecord }) {
  return (
    <span className={styles.about}>
      {storedDecision(run) !== 'no gate' && <RunDecision run={run} />}
      <TestRunStatusBadge status={run.status} />
      <span>Replayed {run.trace_function_key}</span>
      <Time at={run.created_at} zone />
    </span>
  );
}

function Totals({ run: { totals } }: { run: TestRunRecord }) {
  const counted = (['same', 'changed', 'error', 'unknown'] as const)
    .filter((name) => totals[name] > 0)
    .map((name) => (name === 'error' ? formatQuantity(totals.error, name) : `${totals[name]} ${name}`));
  return (
    <p>
      {formatQuantity(totals.items, 'call')}
      {counted.length > 0 && `: ${counted.join(', ')}`}
    </p>
  );
}

function SharedCall({ testRunId, item }: { testRunId: string; item: TestRunItemSummary }) {
  const [isOpen, setIsOpen] = useState(false);
  const { item_no: no, repetition, verdict } = item;
  const hasPayloads = useSharedLink()?.payloads === true;
  const label = `Call ${no + 1}${repetition === undefined ? '' : ` (${repetition + 1})`}`;
  return (
    <li className={styles.call}>
      <div className={styles.head}>
        {hasPayloads ? (
          <button
            type="button"
            className="small plain"
            data-row
            aria-expanded={isOpen}
            onClick={() => {
              setIsOpen(!isOpen);
            }}
          >
            {label}
          </button>
        ) : (
          <span>{label}</span>
        )}
        {verdict === 'same' ? (
          <span className="muted">same</span>
        ) : (
          <Badge tone={TONES[verdict]}>{verdict}</Badge>
        )}
        <code className={styles.preview}>{item.error_preview ?? item.input_preview}</code>
        {item.duration_ms !== undefined && (
          <span className="muted nowrap">{formatDuration(item.duration_ms)}</span>
        )}
      </div>
      {isOpen && <Content testRunId={testRunId} item={item} />}
    </li>
  );
}

function Content({ testRunId, item: summary }: { testRunId: string; item: TestRunItemSummary }) {
  const query = useQuery(itemQuery(testRunId, summary));
  if (query.isPending) return <Loading what="the call" />;
  if (query.isError) return <ErrorNotice title="Could not load the call." error={query.error} />;
  const { input, result, error, original_output: output, original_error: baselineError } = query.data;
  if (query.data.erased) return <p className="muted">The content was deleted with one of its traces.</p>;
  return (
    <div className={styles.content}>
      {input !== undefined && (
        <section role="group" aria-label="Input">
          <h2>Input</h2>
          <ValueBlock value={input} />
        </section>
      )}
      <OutcomePair
        titles={['Baseline', 'Candidate']}
        outcomes={[
          { value: output, error: baselineError },
          { value: result, error },
        ]}
        noValue="Returned undefined, or was not stored."
      />
    </div>
  );
}
