import type { ReactNode } from 'react';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** Shown before the title, such as a back link. */
  above?: ReactNode;
  /** Shown after the title. */
  about?: ReactNode;
  /** Shown between the title and the actions, as wide as it can be. */
  bar?: ReactNode;
  actions?: ReactNode;
  /** Fills the window: a part of it scrolls, not the page. */
  isFilled?: boolean;
  children: ReactNode;
}

/** The frame of every page. Sets the window title and the only `h1`. */
export function Page({ title, above, about, bar, actions, isFilled = false, children }: PageProps) {
  return (
    <div className={styles.page} data-filled={isFilled}>
      <title>{`${title} · Dacapo`}</title>
      <header className={styles.header}>
        {above && <p className={styles.above}>{above}</p>}
        <h1 className={styles.title} title={title}>
          {title}
        </h1>
        {about && <div className={styles.about}>{about}</div>}
        {bar && <div className={styles.bar}>{bar}</div>}
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
