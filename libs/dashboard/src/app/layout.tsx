import type { CallerDetail } from '@dacapo/protocol';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { SignOutButton } from '../features/sign-in/sign-out-button.js';
import { paths } from '../shared/navigation/paths.js';
import { Logo } from '../shared/ui/logo.js';
import { ErrorBoundary } from './error-boundary.js';
import styles from './layout.module.css';

const SECTIONS = [
  {
    label: 'Traces',
    href: paths.traces(),
    isCurrent: (path: string) => path === '/' || path.startsWith('/traces'),
  },
  { label: 'Sessions', href: paths.sessions(), isCurrent: (path: string) => path.startsWith('/sessions') },
  { label: 'Metrics', href: paths.metrics(), isCurrent: (path: string) => path === paths.metrics() },
  { label: 'Test runs', href: paths.testRuns(), isCurrent: (path: string) => path.startsWith('/test-runs') },
  { label: 'Datasets', href: paths.datasets(), isCurrent: (path: string) => path.startsWith('/datasets') },
  { label: 'Indexes', href: paths.indexes(), isCurrent: (path: string) => path.startsWith('/indexes') },
  {
    label: 'API keys',
    href: paths.apiKeys(),
    isCurrent: (path: string) => /^\/(api-keys|audit-log|members|data$)/.test(path),
  },
];

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
    <>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <header className={styles.top}>
        <Link href={paths.traces()} className={styles.home} aria-label="Dacapo, home">
          <Logo />
        </Link>
        <nav className={styles.nav} aria-label="Main">
          {SECTIONS.map(({ label, href, isCurrent }) => (
            <Link key={href} href={href} aria-current={isCurrent(path) ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <div className={styles.account}>
          <span className="muted">
            {account.member === undefined ? account.name : `${account.member.name}, ${account.member.role}`}
          </span>
          <SignOutButton />
        </div>
      </header>
      <main id="content" ref={main} className={styles.main} tabIndex={-1}>
        <ErrorBoundary key={path}>{children}</ErrorBoundary>
      </main>
    </>
  );
}
