import type { CallerDetail } from '@dacapo/protocol';
import { useState } from 'react';
import { SignOutButton } from '../features/sign-in/sign-out-button.js';
import styles from './account-menu.module.css';
import { chooseTheme, storedTheme, THEMES } from './theme.js';

/** Who is signed in, the theme switch, and signing out. */
export function AccountMenu({ account: { name, member } }: { account: CallerDetail }) {
  const [theme, setTheme] = useState(storedTheme);
  return (
    <div className={styles.menu}>
      <p className={styles.name}>{member === undefined ? name : `${member.name}, ${member.role}`}</p>
      <div className={styles.themes} role="group" aria-label="Theme">
        {THEMES.map((each) => (
          <button
            key={each}
            type="button"
            className="small plain"
            aria-pressed={each === theme}
            onClick={() => {
              chooseTheme(each);
              setTheme(each);
            }}
          >
            {each}
          </button>
        ))}
      </div>
      <SignOutButton />
    </div>
  );
}
