import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
import styles from './snippet.module.css';

interface SnippetProps {
  title: string;
  code: string;
  /** Shown in place of the title. */
  head?: ReactNode;
  /** Shown in place of a button that copies the code. */
  copy?: ReactNode;
}

/** Code with a copy button. */
export function Snippet({ title, code, head = title, copy }: SnippetProps) {
  return (
    <figure className={styles.snippet}>
      <figcaption className={styles.caption}>
        <span>{head}</span>
        {copy ?? <CopyButton text={code} what={title} />}
      </figcaption>
      <pre className={styles.code}>{code}</pre>
    </figure>
  );
}
