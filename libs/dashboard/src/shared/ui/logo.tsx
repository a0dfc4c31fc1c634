import styles from './logo.module.css';

/** The musical repeat sign ("da capo"). */
export function Logo() {
  return (
    <span className={styles.logo}>
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" fill="currentColor">
        <rect x="1" y="0" width="4.5" height="20" rx="1" />
        <rect x="8" y="0" width="2" height="20" rx="1" />
        <circle cx="15.5" cy="6" r="2.5" />
        <circle cx="15.5" cy="14" r="2.5" />
      </svg>
      Dacapo
    </span>
  );
}
