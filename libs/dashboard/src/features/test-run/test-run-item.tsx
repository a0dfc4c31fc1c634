import { describeInnerCalls } from '@dacapo/evaluation';
import type { ItemUsage, TestRunItemSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import { formatCost, formatCostChange } from '../../shared/format/format-cost.js';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration, formatDurationChange } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import { AcceptOutcome } from './accept-outcome.js';
import { itemQuery } from '../../shared/test-run/queries.js';
import { Divergences } from './divergences.js';
import { ScoreList, ScoresInLine } from './item-scores.js';
import { JudgeCall } from './judging/judge-call.js';
import { type Judgeable, useJudge } from './judging/judge-context.js';
import { Outputs } from './outputs.js';
import styles from './test-run-item.module.css';
import { VERDICT_TONES } from './verdict-filter.js';

interface TestRunItemProps {
  testRunId: string;
  item: TestRunItemSummary;
  /** Opens the call initially if its outcome or an inner call differs. */
  mayOpen: boolean;
}

/** One replayed call. */
export const TestRunItem = memo(function TestRunItem({ testRunId, item, mayOpen }: TestRunItemProps) {
  const [toggled, setToggled] = useState(false);
  const differs = item.verdict !== 'same' || item.divergence_count !== undefined;
  const isOpen = (mayOpen && differs) !== toggled;
  return (
    <li className={styles.item} data-call={JSON.stringify(toJudgeable(item))}>
      <header className={styles.header}>
        <h2>
          <button
            type="button"
            className="small plain opens"
            data-row
            aria-expanded={isOpen}
            onClick={() => {
              setToggled(!toggled);
            }}
          >
            Call {item.item_no + 1}
            {item.repetition !== undefined && ` (${item.repetition + 1})`}
          </button>
        </h2>
        <VerdictLabel verdict={item.verdict} />
        <Flags item={item} />
        <code className={styles.preview}>{item.error_preview ?? item.input_preview}</code>
        <ScoresInLine item={item} />
        <Tokens item={item} />
        <ItemCost item={item} />
        <Durations item={item} />
        <span className={styles.links}>
          {item.source_trace_id !== undefined && item.source_span_id !== undefined && (
            <Link href={paths.trace(item.source_trace_id, item.source_span_id)}>Recorded trace</Link>
          )}
          {item.new_trace_id !== undefined && (
            <Link href={paths.trace(item.new_trace_id, item.new_span_id)}>New trace</Link>
          )}
          {item.source_trace_id !== undefined && item.new_trace_id !== undefined && (
            <Link
              href={paths.compareTraces(
                item.source_trace_id,
                item.new_trace_id,
                item.source_span_id !== undefined && item.new_span_id !== undefined
                  ? { call: item.source_span_id, with_call: item.new_span_id }
                  : undefined,
              )}
            >
              Side by side
            </Link>
          )}
        </span>
      </header>
      {isOpen && <Body testRunId={testRunId} item={item} />}
    </li>
  );
});

/** What a key that judges the focused call needs. */
function toJudgeable({ item_no, repetition, verdict, judgement }: TestRunItemSummary): Judgeable {
  return {
    item_no,
    verdict,
    ...(repetition !== undefined && { repetition }),
    ...(judgement !== undefined && { judgement }),
  };
}

/** A verdict. The usual one, `same`, is plain text. */
function VerdictLabel({ verdict }: Pick<TestRunItemSummary, 'verdict'>) {
  if (verdict === 'same') return <span className="muted">{verdict}</span>;
  return <Badge tone={VERDICT_TONES[verdict]}>{verdict}</Badge>;
}

function Flags({ item }: { item: TestRunItemSummary }) {
  return (
    <>
      {item.divergence_count !== undefined && <Badge tone="warning">diverged</Badge>}
      {item.fixed && <span className="muted nowrap">baseline failed</span>}
      {item.failing_as_before && <span className="muted nowrap">baseline failed too</span>}
      {item.new_error && <span className="muted nowrap">baseline did not fail</span>}
      {item.accepted && <span className="muted nowrap">matches accepted</span>}
      {item.ignored && <span className="muted nowrap">ignored</span>}
      {item.judgement ? (
        <Badge tone="neutral">{item.judgement}</Badge>
      ) : (
        item.acceptance && <Badge tone="neutral">accepted</Badge>
      )}
      {item.erased && <Badge tone="neutral">erased</Badge>}
    </>
  );
}

function Body({ testRunId, item: summary }: { testRunId: string; item: TestRunItemSummary }) {
  const query = useQuery(itemQuery(testRunId, summary));
  const canJudge = useJudge() !== undefined;
  if (query.isPending) return <Loading what="the call" />;
  if (query.isError) {
    return (
      <ErrorNotice
        title="Could not load the call."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  const item = query.data;
  if (item.erased) {
    return (
      <p className={`muted ${styles.body ?? ''}`}>
        The content was deleted with one of its traces. The verdict and durations remain.
      </p>
    );
  }
  const nameInReports = item.name ?? item.source_span_id;
  return (
    <div className={styles.body}>
      {nameInReports !== undefined && (
        <p className="muted">
          In reports: <code>{nameInReports}</code>
        </p>
      )}
      {item.verdict_corrected && (
        <p className="muted">The client reported the same outcome, but the stored outcomes differ.</p>
      )}
      {item.verdict === 'unknown' && (
        <p className={styles.unknown}>
          These outcomes cannot be compared: part of one was cut, masked or not stored, or there is no
          baseline. The item counts as changed unless the gate limits unknown items.
        </p>
      )}
      {item.input !== undefined && (
        <section role="group" aria-label="Input">
          <h3>Input</h3>
          <ValueBlock value={item.input} />
        </section>
      )}
      <Outputs item={item} />
      <ScoreList item={item} />
      <Divergences item={item} />
      {describeInnerCalls(item).map((line) => (
        <p key={line} className="muted">
          {line}
        </p>
      ))}
      {canJudge ? <JudgeCall item={summary} /> : <AcceptOutcome testRunId={testRunId} item={item} />}
    </div>
  );
}

/** Input plus output tokens, with the change from the baseline. */
function Tokens({
  item: { usage, original_usage: before, model_calls: calls },
}: {
  item: TestRunItemSummary;
}) {
  const [current, baseline] = [totalTokens(usage), totalTokens(before)];
  const withoutUsage =
    calls === undefined ? 0 : calls.made - Math.max(calls.input_tokens, calls.output_tokens);
  if (current === undefined)
    return withoutUsage === 0 ? null : <span className="muted nowrap">tokens unknown</span>;
  const change =
    baseline === undefined || baseline === current
      ? ''
      : ` (${current < baseline ? '−' : '+'}${formatCount(Math.abs(current - baseline))})`;
  return (
    <span
      className="number muted nowrap"
      title={withoutUsage === 0 ? undefined : `${formatQuantity(withoutUsage, 'model call')} without usage`}
    >
      {withoutUsage > 0 && 'at least '}
      {formatQuantity(current, 'token')}
      {change}
    </span>
  );
}

/** Renders nothing without model calls. The cost is unknown if a model call has no price or no usage. */
function ItemCost({
  item: { usage, original_usage: before, model_calls: calls },
}: {
  item: TestRunItemSummary;
}) {
  if (usage === undefined && (calls?.made ?? 0) === 0) return null;
  const isPartial = calls !== undefined && calls.made > calls.cost_usd;
  const [current, baseline] = [isPartial ? undefined : usage?.cost_usd, before?.cost_usd];
  if (current === undefined) return <span className="muted nowrap">cost unknown</span>;
  return (
    <span
      className="number muted nowrap"
      title={`Baseline: ${baseline === undefined ? 'unknown' : formatCost(baseline)}`}
    >
      {formatCost(current)}
      {baseline !== undefined && baseline !== current && ` (${formatCostChange(baseline, current)})`}
    </span>
  );
}

function totalTokens(usage: ItemUsage | undefined): number | undefined {
  const { input_tokens: input, output_tokens: output } = usage ?? {};
  return input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);
}

/** Shows a difference only when both versions ran in the same process: other durations are not comparable. */
function Durations({
  item: { original_duration_ms: baselineMs, duration_ms: candidateMs, timing },
}: {
  item: TestRunItemSummary;
}) {
  if (candidateMs === undefined) return null;
  return (
    <span className="number muted" title={`Baseline: ${formatDuration(baselineMs)}`}>
      {formatDuration(candidateMs)}
      {baselineMs !== undefined &&
        timing === 'paired' &&
        ` (${formatDurationChange(baselineMs, candidateMs)})`}
      {timing === 'mocked' && ' (mocked)'}
    </span>
  );
}
