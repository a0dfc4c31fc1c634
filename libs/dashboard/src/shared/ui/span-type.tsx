import type { SpanKind, SpanType as Type } from '@dacapo/protocol';
import styles from './span-type.module.css';

/** `M` stands for model. */
const LETTERS: Record<Type, string> = {
  llm: 'M',
  agent: 'A',
  function: 'ƒ',
  guardrail: 'G',
  handoff: 'H',
  custom: '·',
};

/** The type of a span as a letter in its hue. */
export function SpanTypeIcon({ type }: { type: Type }) {
  return (
    <span
      className={`${styles.icon ?? ''} ${styles[type] ?? ''}`}
      data-letter={LETTERS[type]}
      title={type}
      aria-hidden="true"
    />
  );
}

/** The type of a span, with its kind if it has one. */
export function SpanType({ type, kind }: { type: Type; kind?: SpanKind | undefined }) {
  return (
    <span className={styles.type}>
      <SpanTypeIcon type={type} />
      {type}
      {kind !== undefined && `, ${kind}`}
    </span>
  );
}
