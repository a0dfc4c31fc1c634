import styles from './slow-factor.module.css';

/** `18×`: how many times the usual duration a call took. Renders nothing without a factor. */
export function SlowFactor({ factor }: { factor: number | undefined }) {
  if (factor === undefined) return null;
  const text = factor < 10 ? factor.toFixed(1) : String(Math.round(factor));
  return (
    <span className={styles.factor} title={`${text} times the median of the last days`}>
      {text}×
    </span>
  );
}
