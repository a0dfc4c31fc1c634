import type { Divergence, DivergenceKind, TestRunItemRecord } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { diffWords, type WordPart } from '../../shared/ui/comparison/diff-words.js';
import styles from './divergences.module.css';

const LABELS: Record<DivergenceKind, string> = {
  missing: 'missing',
  extra: 'extra',
  changed_arguments: 'different arguments',
  reordered: 'different order',
  unanswerable: 'no recording',
};

/** Differences of the inner calls from the recorded ones. Renders nothing when there are none. */
export function Divergences({ item }: { item: TestRunItemRecord }) {
  const { divergences = [], divergence_count: count = divergences.length } = item;
  if (divergences.length === 0) return null;
  return (
    <section className={styles.divergences} role="group" aria-label="Inner calls that differ">
      <h3>Inner calls that differ</h3>
      <ul>
        {divergences.map((divergence, index) => (
          <li key={index}>
            <Badge tone="warning">{LABELS[divergence.kind]}</Badge>
            <Place item={item} divergence={divergence} />
            <Arguments {...divergence} />
          </li>
        ))}
      </ul>
      {count > divergences.length && (
        <p className="muted">and {formatCount(count - divergences.length)} more.</p>
      )}
    </section>
  );
}

/** The path of the call, linked to the recorded call, else to the new one. */
function Place({ item, divergence }: { item: TestRunItemRecord; divergence: Divergence }) {
  const { path, source_span_id: sourceId, new_span_id: newId } = divergence;
  const { source_trace_id: sourceTraceId } = item;
  const text = path.join(' › ');
  if (sourceId !== undefined && sourceTraceId !== undefined) {
    return <Link href={paths.trace(sourceTraceId, sourceId)}>{text}</Link>;
  }
  if (item.new_trace_id === undefined) return <span>{text}</span>;
  return <Link href={paths.trace(item.new_trace_id, newId)}>{text}</Link>;
}

/** The arguments of both calls. Long ones are reduced to their differences. */
function Arguments({ recorded_arguments: before, new_arguments: after, reason }: Divergence) {
  if (reason !== undefined) return <span className="muted">{reason}</span>;
  const isLong = (before?.length ?? 0) + (after?.length ?? 0) > SHOWN_WHOLE;
  const words = isLong && before !== undefined && after !== undefined ? diffWords(before, after) : undefined;
  return (
    <span className={styles.arguments}>
      {before !== undefined && <code>{words ? <Changes parts={words.left} /> : before}</code>}
      {before !== undefined && after !== undefined && ' → '}
      {after !== undefined && <code>{words ? <Changes parts={words.right} /> : after}</code>}
    </span>
  );
}

/** Arguments up to this many characters together are shown whole. */
const SHOWN_WHOLE = 200;
/** Characters of context around a difference. */
const AROUND = 30;

function Changes({ parts }: { parts: readonly WordPart[] }) {
  return parts.map(({ text, isChanged }, index) => {
    if (isChanged) return <mark key={index}>{text}</mark>;
    const head = index === 0 ? '' : text.slice(0, AROUND);
    const tail = index === parts.length - 1 ? '' : text.slice(-AROUND);
    return <span key={index}>{text.length <= 2 * AROUND ? text : `${head} … ${tail}`}</span>;
  });
}
