import type { TestRunItemRecord } from '@dacapo/protocol';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatDuration, formatDurationChange } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { Disclosure } from '../../shared/ui/disclosure.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import { Divergences } from './divergences.js';
import { Outputs } from './outputs.js';
import styles from './test-run-item.module.css';
import { VerdictBadge } from './verdict-badge.js';

/** One replayed call. What stayed the same, inside as well, is folded until asked for. */
export function TestRunItem({ item }: { item: TestRunItemRecord }) {
  const [isOpen, setIsOpen] = useState(item.verdict !== 'same' || (item.divergences ?? []).length > 0);
  return (
    <li className={`card ${styles.item ?? ''}`}>
      <header className={styles.header}>
        <h2>
          <button
            type="button"
            className={`small plain ${styles.toggle ?? ''}`}
            aria-expanded={isOpen}
            onClick={() => {
              setIsOpen(!isOpen);
            }}
          >
            Call {item.item_no + 1}
          </button>
        </h2>
        <VerdictBadge verdict={item.verdict} />
        {item.verdict === 'error' && item.original_error && (
          <span className="muted nowrap">failed before as well</span>
        )}
        <code className={styles.preview}>{item.input === undefined ? '' : previewOf(item.input)}</code>
        <Durations item={item} />
        <span className={styles.links}>
          {item.source_trace_id !== undefined && item.source_span_id !== undefined && (
            <Link href={paths.trace(item.source_trace_id, item.source_span_id)}>Original trace</Link>
          )}
          {item.new_trace_id !== undefined && (
            <Link href={paths.trace(item.new_trace_id, item.new_span_id)}>New trace</Link>
          )}
        </span>
      </header>
      {isOpen && (
        <div className={styles.body}>
          <Outputs item={item} />
          <Divergences item={item} />
          {item.input !== undefined && (
            <Disclosure summary="Input">
              <ValueBlock value={item.input} />
            </Disclosure>
          )}
        </div>
      )}
    </li>
  );
}

function Durations({
  item: { original_duration_ms: originalMs, duration_ms: newMs },
}: {
  item: TestRunItemRecord;
}) {
  if (newMs === undefined) return null;
  return (
    <span className="number muted" title={`Before: ${formatDuration(originalMs)}`}>
      {formatDuration(newMs)}
      {originalMs !== undefined && ` (${formatDurationChange(originalMs, newMs)})`}
    </span>
  );
}

function previewOf(input: unknown[]): string {
  return input
    .map((argument) => JSON.stringify(argument))
    .join(', ')
    .slice(0, 300);
}
