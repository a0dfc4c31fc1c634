import type { ComparedItem, TestRunItemRecord, TestRunItemSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatDuration } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { OutcomePair } from '../../shared/ui/comparison/outcome-pair.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { itemQuery } from '../../shared/test-run/queries.js';
import { RELATIONS } from './relation-filter.js';
import styles from './run-comparison.module.css';

interface ComparedItemsProps {
  /** The ids of the runs. */
  here: string;
  there: string;
  items: readonly ComparedItem[];
}

export function ComparedItems({ here, there, items }: ComparedItemsProps) {
  return (
    <ol className={styles.items} aria-label="Calls of both runs">
      {items.map((item) => (
        <ItemPair key={itemKey(item)} here={here} there={there} item={item} />
      ))}
    </ol>
  );
}

function itemKey({ here, there }: ComparedItem): string {
  return [here, there].map((item) => item && `${item.item_no}/${item.repetition ?? 0}`).join(' ');
}

function ItemPair({ here, there, item }: { here: string; there: string; item: ComparedItem }) {
  const [isOpen, setIsOpen] = useState(false);
  const { label, tone } = RELATIONS[item.relation];
  const shown = item.here ?? item.there;
  return (
    <li className={styles.item}>
      <header className={styles.header}>
        <h2>
          <button
            type="button"
            className="small plain opens"
            data-row
            aria-expanded={isOpen}
            onClick={() => {
              setIsOpen(!isOpen);
            }}
          >
            Call {shown === undefined ? '' : shown.item_no + 1}
            {shown?.repetition !== undefined && ` (${shown.repetition + 1})`}
          </button>
        </h2>
        {item.relation === 'same_outcome' ? (
          <span className="muted">{label}</span>
        ) : (
          <Badge tone={tone}>{label}</Badge>
        )}
        {(item.here?.erased ?? item.there?.erased) && <Badge tone="neutral">erased</Badge>}
        <code className={styles.preview}>{shown?.input_preview ?? shown?.error_preview}</code>
        <span className="muted nowrap">
          {describeVerdict(item.here)} vs {describeVerdict(item.there)}
        </span>
        <span className="number muted nowrap">
          {formatDuration(item.here?.duration_ms)} vs {formatDuration(item.there?.duration_ms)}
        </span>
      </header>
      {isOpen && <Outcomes here={here} there={there} item={item} />}
    </li>
  );
}

function describeVerdict(item: TestRunItemSummary | undefined): string {
  if (item === undefined) return 'missing';
  return item.fixed ? 'fixed' : item.verdict;
}

/** The outcomes of both runs, as a line diff when both returned a value. */
function Outcomes({ here, there, item }: { here: string; there: string; item: ComparedItem }) {
  const left = useQuery({ ...itemQuery(here, item.here ?? NO_ITEM), enabled: item.here !== undefined });
  const right = useQuery({ ...itemQuery(there, item.there ?? NO_ITEM), enabled: item.there !== undefined });
  const error = left.error ?? right.error;
  if (error) return <ErrorNotice title="Could not load the call." error={error} />;
  if (left.isLoading || right.isLoading) return <Loading what="the call" />;
  return (
    <OutcomePair
      titles={[
        <>
          This run <TraceLink item={item.here} />
        </>,
        <>
          Other run <TraceLink item={item.there} />
        </>,
      ]}
      outcomes={[toOutcome(left.data), toOutcome(right.data)]}
      noCall="No such call in this run."
      noValue="Returned undefined, or was not stored."
      isInset
    />
  );
}

const NO_ITEM: TestRunItemSummary = { item_no: 0, verdict: 'unknown' };

function toOutcome(record: TestRunItemRecord | undefined) {
  return record && { value: record.result, error: record.error };
}

function TraceLink({ item }: { item: TestRunItemSummary | undefined }) {
  if (item?.new_trace_id === undefined) return null;
  return <Link href={paths.trace(item.new_trace_id, item.new_span_id)}>trace</Link>;
}
