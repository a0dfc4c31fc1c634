import type { CallerDetail } from '@dacapo/protocol';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { ErrorBoundary } from './error-boundary.js';
import styles from './layout.module.css';
import { Keys } from './keys.js';
import { Rail } from './rail.js';

/** The frame around every page. A new page takes the focus, so keyboards and screen readers start there. */
export function Layout({ account, children }: { account: CallerDetail; children: ReactNode }) {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const shownPath = useRef(path);
  useEffect(() => {
    if (shownPath.current === path) return;
    shownPath.current = path;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <Rail account={account} />
      <Keys />
      <main id="content" ref={main} className={styles.main} tabIndex={-1}>
        <ErrorBoundary key={path} frame="div">
          {children}
        </ErrorBoundary>
      </main>
    </div>
  );
}
