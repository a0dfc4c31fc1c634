import { useEffect, useRef } from 'react';
import styles from './keys.module.css';

const KEYS: { keys: string[]; action: string }[] = [
  { keys: ['j', 'k'], action: 'next and previous row' },
  { keys: ['Enter'], action: 'open the row' },
  { keys: ['/'], action: 'search' },
  { keys: ['?'], action: 'show these keys' },
  { keys: ['Esc'], action: 'close a dialog or menu' },
];

/** What `j` and `k` stop at: the first link of a table row, and the toggles of groups and calls. */
const ROWS = 'main :is(a.cover, button[data-row])';

/** The keys of every page, and the dialog that lists them. Keys do nothing while the reader types or a dialog or menu is open. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return;
      if (event.key === '?') dialog.current?.showModal();
      else if (event.key === 'j') focusRow(1);
      else if (event.key === 'k') focusRow(-1);
      else if (event.key === '/') document.querySelector<HTMLElement>('main input[type=search]')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
    };
  }, []);
  return (
    <dialog ref={dialog} className={styles.keys} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(({ keys, action }) => (
          <div key={action}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" autoFocus>
          Close
        </button>
      </form>
    </dialog>
  );
}

/** Whether a key belongs to a field, a dialog or a menu. */
function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return true;
  return target instanceof Element && target.closest('input, select, textarea, [role=dialog]') !== null;
}

/** Moves the focus to the next or previous row, from the first row at the start. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  // The last one: calls are inside the row of their group.
  const focused = rows.findLastIndex((row) => row.closest('tr, li')?.contains(document.activeElement));
  const next = rows[focused < 0 ? 0 : focused + step];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}
