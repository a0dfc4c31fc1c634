import type { ReactNode } from 'react';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** Shown above the title, such as a back link. */
  above?: ReactNode;
  /** A line below the title. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page. Sets the window title and the only `h1`. */
export function Page({ title, above, about, actions, children }: PageProps) {
  return (
    <div className={styles.page}>
      <title>{`${title} · Dacapo`}</title>
      <header className={styles.header}>
        <div className={styles.heading}>
          {above && <p className={styles.above}>{above}</p>}
          <h1 className="two-lines" title={title}>
            {title}
          </h1>
          {about && <div className="muted">{about}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
