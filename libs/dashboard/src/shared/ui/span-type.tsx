import type { SpanType as Type } from '@dacapo/protocol';
import styles from './span-type.module.css';

export function SpanType({ type }: { type: Type }) {
  return <span className={`${styles.type ?? ''} ${styles[type] ?? ''}`}>{type}</span>;
}
