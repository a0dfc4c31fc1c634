import type { SpanKind, SpanType as Type } from '@dacapo/protocol';
import styles from './span-type.module.css';

/** The type of a span, with its kind if it has one. */
export function SpanType({ type, kind }: { type: Type; kind?: SpanKind | undefined }) {
  return (
    <span className={`${styles.type ?? ''} ${styles[type] ?? ''}`}>
      {type}
      {kind !== undefined && `, ${kind}`}
    </span>
  );
}
