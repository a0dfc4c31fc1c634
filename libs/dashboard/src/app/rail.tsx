import type { CallerDetail } from '@dacapo/protocol';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { paths } from '../shared/navigation/paths.js';
import { readChoice, storeChoice } from '../shared/navigation/stored-choice.js';
import { useSavedViews } from '../shared/saved-views/saved-views.js';
import { Logo } from '../shared/ui/logo.js';
import { Menu } from '../shared/ui/menu.js';
import styles from './rail.module.css';
import { type Section, SECTIONS, SETTINGS } from './sections.js';

const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.js')).AccountMenu }));

const IN_BOTTOM_BAR = 4;

/** The navigation: a rail that folds, and on phones a bottom bar of four items and "More". */
export function Rail({ account }: { account: CallerDetail }) {
  const [isFolded, setIsFolded] = useState(readChoice('rail') === 'folded');
  const fold = () => {
    setIsFolded(!isFolded);
    storeChoice('rail', isFolded ? 'open' : 'folded');
  };
  return (
    <header className={styles.rail} data-folded={isFolded}>
      <Link href={paths.overview()} className={styles.home} aria-label="Dacapo, home">
        <Logo />
      </Link>
      <nav className={styles.nav} aria-label="Main">
        <Links sections={SECTIONS} />
        <SavedViews />
        <h2 className={styles.group}>Settings</h2>
        <Links sections={SETTINGS} />
        <Menu face={<More />} className={styles.more}>
          <SavedViews />
          <Links sections={[...SECTIONS.slice(IN_BOTTOM_BAR), ...SETTINGS]} />
          <Suspense>
            <AccountMenu account={account} />
          </Suspense>
        </Menu>
      </nav>
      <div className={styles.foot}>
        <Menu face={<AccountName account={account} />} className={styles.account}>
          <Suspense>
            <AccountMenu account={account} />
          </Suspense>
        </Menu>
        <button
          type="button"
          className={`plain ${styles.fold ?? ''}`}
          aria-label={isFolded ? 'Show labels' : 'Hide labels'}
          title={isFolded ? 'Show labels' : 'Hide labels'}
          onClick={fold}
        >
          <Icon>
            <path d={isFolded ? 'M4 3l5 5-5 5M12.5 3v10' : 'M12 3 7 8l5 5M3.5 3v10'} />
          </Icon>
        </button>
      </div>
    </header>
  );
}

function SavedViews() {
  const views = useSavedViews();
  const search = useSearch();
  if (views.length === 0) return null;
  return (
    <div className={styles.views}>
      <h2 className={styles.group}>Saved views</h2>
      {views.map((view) => (
        <Link
          key={view.name}
          href={`${paths.traces()}?${view.search}`}
          className={styles.item}
          title={view.name}
          aria-current={view.search === search ? 'page' : undefined}
        >
          <Icon>
            <path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7z" />
          </Icon>
          <span className={styles.label}>{view.name}</span>
        </Link>
      ))}
    </div>
  );
}

function Links({ sections }: { sections: readonly Section[] }) {
  const [path] = useLocation();
  return sections.map(({ label, href, icon, isCurrent }) => (
    <Link
      key={href}
      href={href}
      className={styles.item}
      title={label}
      aria-current={isCurrent(path) ? 'page' : undefined}
    >
      <Icon>{icon}</Icon>
      <span className={styles.label}>{label}</span>
    </Link>
  ));
}

function AccountName({ account }: { account: CallerDetail }) {
  const name = account.member === undefined ? account.name : `${account.member.name}, ${account.member.role}`;
  return (
    <>
      <Icon>
        <path d="M8 2.5a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM2.5 13.5c.6-2.4 2.7-3.6 5.5-3.6s4.9 1.2 5.5 3.6" />
      </Icon>
      <span className={styles.label}>{name}</span>
    </>
  );
}

function More() {
  return (
    <>
      <Icon>
        <path d="M3 8h.01M8 8h.01M13 8h.01" strokeWidth="2.4" />
      </Icon>
      <span className={styles.label}>More</span>
    </>
  );
}

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      className={styles.icon}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}
