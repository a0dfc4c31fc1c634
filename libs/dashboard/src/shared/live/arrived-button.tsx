import { usePageKeys } from '../keys/page-keys.js';
import styles from './arrived-button.module.css';

/** A page of the service: more cannot be counted. */
const MOST_COUNTED = 50;

interface ArrivedButtonProps {
  count: number;
  /** What is counted, such as `new sessions`. */
  what?: string;
  /** Where it floats. Without an edge, it is in the flow. */
  edge?: 'top' | 'bottom';
  onShow: () => void;
}

/** Counts new rows, and shows them on demand: nothing moves under the reader. */
export function ArrivedButton({ count, what = 'new', edge, onShow }: ArrivedButtonProps) {
  usePageKeys(count > 0 ? [{ key: 'n', action: 'show what is new', run: onShow }] : []);
  if (count === 0) return null;
  return (
    <p className={styles.arrived} data-edge={edge} role="status">
      <button type="button" className="small primary" aria-keyshortcuts="n" onClick={onShow}>
        {count < MOST_COUNTED ? count : `${MOST_COUNTED}+`} {what}
      </button>
    </p>
  );
}
