import type { JsonValue } from '@dacapo/protocol';
import type { ReactNode } from 'react';
import { jsonText } from '../../../shared/json/json-text.js';
import { CopyButton } from '../../../shared/ui/copy-button.js';
import { DownloadButton } from '../../../shared/ui/download-button.js';
import styles from './span-panel.module.css';

interface SectionProps {
  title: string;
  /** The value to copy and download. */
  value?: JsonValue | undefined;
  spanId: string;
  children: ReactNode;
}

export function Section({ title, value, spanId, children }: SectionProps) {
  // Not before it is wanted: a value may have megabytes.
  const text = () => jsonText(value);
  const name = title.toLowerCase();
  const extension = typeof value === 'string' ? 'txt' : 'json';
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.sectionHeader}>
        <h3>{title}</h3>
        {value !== undefined && (
          <>
            <CopyButton text={text} what={name} />
            <DownloadButton text={text} fileName={`${spanId}-${name.replaceAll(' ', '-')}.${extension}`} />
          </>
        )}
      </div>
      {children}
    </section>
  );
}
