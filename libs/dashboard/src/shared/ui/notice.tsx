import type { ReactNode } from 'react';
import { ApiError } from '../http/api-error.js';
import styles from './notice.module.css';

interface EmptyStateProps {
  title: string;
  children?: ReactNode;
}

/** Explains an empty page, and what to do. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <section className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p className={styles.loading} role="status">
      Loading {what} …
    </p>
  );
}

/** In place of a list: rows of their height, so that little moves when they come. */
export function LoadingRows({ what }: { what: string }) {
  return (
    <div className={styles.loading} role="status">
      <span className="visually-hidden">Loading {what} …</span>
      <div className={styles.rows} aria-hidden />
    </div>
  );
}

interface ErrorNoticeProps {
  title: string;
  error: Error;
  onRetry?: () => void;
}

/** Shows an error with the collector's message. A missing scope is still missing after another try. */
export function ErrorNotice({ title, error, onRetry }: ErrorNoticeProps) {
  const isForbidden = error instanceof ApiError && error.status === 403;
  return (
    <section className={styles.error} role="alert">
      <div>
        <strong>{title}</strong>
        <p>{error.message}</p>
      </div>
      {onRetry && !isForbidden && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  );
}
