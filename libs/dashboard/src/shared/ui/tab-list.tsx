import { type KeyboardEvent, type ReactNode, useId } from 'react';
import styles from './tab-list.module.css';

interface TabListProps<T extends { name: string }> {
  label: string;
  items: readonly T[];
  shown: T;
  onShow: (item: T) => void;
  /** The panel of the shown tab. */
  children: ReactNode;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs in the page, unlike links to pages. The arrow keys move between them. */
export function TabList<T extends { name: string }>({
  label,
  items,
  shown,
  onShow,
  children,
}: TabListProps<T>) {
  const id = useId();
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = STEPS[event.key];
    const next = step === undefined ? undefined : items.at((items.indexOf(shown) + step) % items.length);
    if (next === undefined) return;
    event.preventDefault();
    onShow(next);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[items.indexOf(next)]?.focus();
  };
  return (
    <>
      <div className={styles.tabs} role="tablist" aria-label={label} onKeyDown={press}>
        {items.map((item) => (
          <button
            key={item.name}
            type="button"
            role="tab"
            className="plain"
            aria-selected={item === shown}
            aria-controls={id}
            tabIndex={item === shown ? 0 : -1}
            onClick={() => {
              onShow(item);
            }}
          >
            {item.name}
          </button>
        ))}
      </div>
      <div id={id} role="tabpanel" aria-label={shown.name} className={styles.panel}>
        {children}
      </div>
    </>
  );
}
