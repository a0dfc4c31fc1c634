import { formatCount } from '../../../shared/format/format-count.js';
import type { ChangeGroup } from '../groups/group-changes.js';
import { isJudged } from '../groups/judged-groups.js';
import styles from './judging.module.css';

const KEYS: { keys: string[]; action: string }[] = [
  { keys: ['j', 'k'], action: 'move' },
  { keys: ['1'], action: 'accept' },
  { keys: ['2'], action: 'better' },
  { keys: ['3'], action: 'worse' },
  { keys: ['⇧1'], action: 'whole group' },
  { keys: ['i'], action: 'ignore' },
  { keys: ['u'], action: 'undo' },
];

/** The keys that judge, and how many calls are judged. */
export function KeyBar({ groups }: { groups: readonly ChangeGroup[] }) {
  const items = groups.flatMap((group) => group.items);
  return (
    <div className={styles.keys}>
      {KEYS.map(({ keys, action }) => (
        <span key={action}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {action}
        </span>
      ))}
      <span className="muted">
        {formatCount(items.filter(isJudged).length)} of {formatCount(items.length)} judged
      </span>
    </div>
  );
}
