import { isSpanGroup, METRICS_GROUPS, type SpanDetail, type SpanSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCost } from '../../shared/format/format-cost.js';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration, formatDurationChange } from '../../shared/format/format-duration.js';
import { spanQuery } from '../../shared/spans/api.js';
import { Badge } from '../../shared/ui/badge.js';
import { OutcomePair } from '../../shared/ui/comparison/outcome-pair.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import type { AlignedRow } from './align-traces.js';
import { compareValues } from './compare-values.js';
import styles from './aligned-spans.module.css';

/** The values of the first pairs are compared immediately, those of others when opened. */
const COMPARED_PAIRS = 50;

interface AlignedSpansProps {
  /** The ids of the traces. */
  left: string;
  right: string;
  rows: readonly AlignedRow[];
}

export function AlignedSpans({ left, right, rows }: AlignedSpansProps) {
  const pairs = rows.filter((row) => row.left !== undefined && row.right !== undefined);
  const compared = new Set(pairs.slice(0, COMPARED_PAIRS));
  return (
    <ol className={styles.rows} aria-label="Spans of both traces">
      {rows.map((row) => (
        <Row
          key={`${row.left?.id} ${row.right?.id}`}
          left={left}
          right={right}
          row={row}
          isCompared={compared.has(row)}
        />
      ))}
    </ol>
  );
}

interface RowProps {
  left: string;
  right: string;
  row: AlignedRow;
}

function Row({ left, right, row, isCompared }: RowProps & { isCompared: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const name = row.left?.name ?? row.right?.name;
  return (
    <li>
      <div className={styles.row}>
        <h2 className={styles.heading}>
          <button
            type="button"
            className={`small plain opens ${styles.name ?? ''}`}
            style={{ marginLeft: `${Math.min(row.depth, 20) * 16}px` }}
            data-row
            aria-expanded={isOpen}
            onClick={() => {
              setIsOpen(!isOpen);
            }}
          >
            {name}
          </button>
        </h2>
        <Differences row={row} />
        {row.left && row.right && (
          <Values left={left} right={right} row={row} isCompared={isCompared || isOpen} />
        )}
        <Figures row={row} />
      </div>
      {isOpen && <Outcomes left={left} right={right} row={row} />}
    </li>
  );
}

/** Badges for different inputs and outputs. */
function Values({ left, right, row, isCompared }: RowProps & { isCompared: boolean }) {
  const here = useQuery({ ...spanQuery(left, row.left?.id ?? ''), enabled: isCompared });
  const there = useQuery({ ...spanQuery(right, row.right?.id ?? ''), enabled: isCompared });
  if (!isCompared) return <span className="muted">values not compared, open to compare</span>;
  if (here.isError || there.isError) return <Badge tone="neutral">values could not be loaded</Badge>;
  if (here.data === undefined || there.data === undefined) return <span className="muted">comparing …</span>;
  const { input, outcome } = compareValues(here.data, there.data);
  return (
    <>
      {input !== 'same' && <Badge tone="neutral">input {DIFFERENCES[input]}</Badge>}
      {outcome !== 'same' && <Badge tone="warning">output {DIFFERENCES[outcome]}</Badge>}
    </>
  );
}

const DIFFERENCES = { different: 'differs', unknown: 'may differ' };

function Differences({ row: { left, right, isMoved } }: { row: AlignedRow }) {
  if (right === undefined) return <Badge tone="error">only in this trace</Badge>;
  if (left === undefined) return <Badge tone="warning">only in the other trace</Badge>;
  return (
    <>
      {isMoved && <Badge tone="neutral">moved</Badge>}
      {left.status !== right.status && (
        <Badge tone="warning">
          {left.status} vs {right.status}
        </Badge>
      )}
      {METRICS_GROUPS.filter(isSpanGroup).map(
        (name) =>
          left[name] !== right[name] && (
            <Badge key={name} tone="neutral">
              {name} {left[name] ?? 'none'} vs {right[name] ?? 'none'}
            </Badge>
          ),
      )}
    </>
  );
}

/** The figures of this trace, with the difference from the other. */
function Figures({ row: { left, right } }: { row: AlignedRow }) {
  const [took, other] = [left?.duration_ms, right?.duration_ms];
  return (
    <span className={`muted number ${styles.figures ?? ''}`}>
      {formatDuration(took ?? other)}
      {took !== undefined &&
        other !== undefined &&
        ` (${formatDurationChange(took, other)} in the other trace)`}
      <Pair
        left={formatOptionalCount(totalTokens(left))}
        right={formatOptionalCount(totalTokens(right))}
        unit="tokens"
      />
      <Pair left={formatSpanCost(left)} right={formatSpanCost(right)} />
    </span>
  );
}

/** Renders nothing when both sides are unknown. */
function Pair({ left, right, unit }: { left: string | undefined; right: string | undefined; unit?: string }) {
  if (left === undefined && right === undefined) return null;
  return (
    <>
      , {left ?? '–'} vs {right ?? '–'}
      {unit !== undefined && ` ${unit}`}
    </>
  );
}

function formatOptionalCount(count: number | undefined): string | undefined {
  return count === undefined ? undefined : formatCount(count);
}

/** "cost unknown" for a model call without a price, `undefined` for other spans. */
function formatSpanCost(span: SpanSummary | undefined): string | undefined {
  const cost = span?.usage?.cost_usd;
  if (cost !== undefined) return formatCost(cost);
  return totalTokens(span) === undefined ? undefined : 'cost unknown';
}

function totalTokens(span: SpanSummary | undefined): number | undefined {
  const { input_tokens: input, output_tokens: output } = span?.usage ?? {};
  return input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);
}

/** The outcomes of both spans, as a line diff when both returned a value. */
function Outcomes({ left, right, row }: RowProps) {
  const here = useQuery({ ...spanQuery(left, row.left?.id ?? ''), enabled: row.left !== undefined });
  const there = useQuery({ ...spanQuery(right, row.right?.id ?? ''), enabled: row.right !== undefined });
  const error = here.error ?? there.error;
  if (error) return <ErrorNotice title="Could not load the span." error={error} />;
  if (here.isLoading || there.isLoading) return <Loading what="both outputs" />;
  return (
    <OutcomePair
      titles={['This trace', 'Other trace']}
      outcomes={[toOutcome(here.data), toOutcome(there.data)]}
      noCall="No such span in this trace."
      noValue="Returned undefined."
      isInset
    />
  );
}

function toOutcome(span: SpanDetail | undefined) {
  return span && { value: span.span_data.output, error: span.span_data.error };
}
