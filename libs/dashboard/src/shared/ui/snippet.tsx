import { CopyButton } from './copy-button.js';
import styles from './snippet.module.css';

/** Code with a copy button. */
export function Snippet({ title, code }: { title: string; code: string }) {
  return (
    <figure className={styles.snippet}>
      <figcaption className={styles.caption}>
        <span>{title}</span>
        <CopyButton text={code} what={title} />
      </figcaption>
      <pre className={styles.code} tabIndex={0}>
        {code}
      </pre>
    </figure>
  );
}
