import { CopyButton } from './copy-button.js';
import styles from './shown-once.module.css';

interface ShownOnceProps {
  /** Whose it is. */
  name: string;
  /** Which the service keeps no copy of. */
  secret: string;
  /** Such as `API key`. */
  what: string;
}

/** A secret that nobody can show again. */
export function ShownOnce({ name, secret, what }: ShownOnceProps) {
  return (
    <div className={styles.frame} role="status">
      <p>
        <strong>Copy “{name}” now: it is shown this once.</strong>
      </p>
      <p className={styles.line}>
        <code className={styles.secret}>{secret}</code>
        <CopyButton text={secret} what={what} />
      </p>
    </div>
  );
}
