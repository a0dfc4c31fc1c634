import { type KeyRow, useKeySets } from '../shared/keys/page-keys.js';
import { Dialog } from '../shared/ui/dialog.js';
import styles from './keys.module.css';

const KEYS: KeyRow[] = [
  { keys: ['j', 'k'], action: 'next and previous row' },
  { keys: ['Enter'], action: 'open the row' },
  { keys: ['/'], action: 'search' },
  { keys: ['?'], action: 'show these keys' },
  { keys: ['Esc'], action: 'close a dialog or menu' },
];

/** Lists the keys of the shown page, and those of every page. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const own = useKeySets().flatMap((keySet) => keySet.rows);
  const taken = new Set(own.flatMap(({ keys }) => keys));
  const rows = [...own, ...KEYS.filter(({ keys }) => !keys.every((key) => taken.has(key)))];
  return (
    <Dialog title="Keys" className={styles.keys} onClose={onClose}>
      <dl>
        {rows.map(({ keys, action }) => (
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
    </Dialog>
  );
}
