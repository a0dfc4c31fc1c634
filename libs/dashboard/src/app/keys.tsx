import { lazy, Suspense, useEffect, useState } from 'react';
import { isKeyElsewhere } from '../shared/keys/is-key-elsewhere.js';
import { listKeySets } from '../shared/keys/page-keys.js';

const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.js')).KeysDialog }));

/** What `j` and `k` stop at: the first link of a table row, the toggles of groups and calls, and the links of turns. */
const ROWS = 'main :is(a.cover, [data-row])';

/** The keys of every page, and the dialog that lists them. Keys do nothing while the reader types or a dialog or menu is open. */
export function Keys() {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isKeyElsewhere(event.target)) return;
      const act = listKeySets()
        .map((keySet) => keySet.find(event))
        .find((found) => found !== undefined);
      if (act !== undefined) act();
      else if (event.key === '?') setIsShown(true);
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
  if (!isShown) return null;
  return (
    <Suspense fallback={null}>
      <KeysDialog
        onClose={() => {
          setIsShown(false);
        }}
      />
    </Suspense>
  );
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
