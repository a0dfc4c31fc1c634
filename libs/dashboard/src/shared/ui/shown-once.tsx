import { CopyButton } from './copy-button.js';
import styles from './shown-once.module.css';

interface ShownOnceProps {
  /** Name of the secret. */
  name: string;
  /** Not stored by the service. */
  secret: string;
  /** Its type, such as `API key`. */
  what: string;
}

/** A secret that cannot be shown again. */
export function ShownOnce({ name, secret, what }: ShownOnceProps) {
  return (
    <div className={styles.frame} role="status">
      <p>
        <strong>Copy “{name}” now. It is shown only once.</strong>
      </p>
      <p className={styles.line}>
        <code className={styles.secret}>{secret}</code>
        <CopyButton text={secret} what={what} isFocused />
      </p>
    </div>
  );
}
