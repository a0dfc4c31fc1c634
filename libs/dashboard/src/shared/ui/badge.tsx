import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type BadgeTone = 'ok' | 'error' | 'warning' | 'neutral';

export function Badge({ tone, children }: { tone: BadgeTone; children: ReactNode }) {
  return <span className={`${styles.badge ?? ''} ${styles[tone] ?? ''}`}>{children}</span>;
}
