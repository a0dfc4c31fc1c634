import type { ChangeGroup } from '../groups/group-changes.js';
import { useJudge } from './judge-context.js';
import { describeJudged, ignorablePaths, isJudged } from '../groups/judged-groups.js';
import styles from './judging.module.css';

/** Judges all calls of a group, or ignores the places that changed. */
export function JudgeGroup({ group, name }: { group: ChangeGroup; name: string }) {
  const judge = useJudge();
  const judged = describeJudged(group);
  const isOpen = judge !== undefined && !group.items.every(isJudged);
  return (
    <span className={styles.group}>
      {judged !== undefined && <span className={styles.judged}>{judged}</span>}
      {isOpen && ignorablePaths(group) !== undefined && (
        <button
          type="button"
          className="small"
          aria-label={`Ignore (${name})`}
          aria-keyshortcuts="i"
          onClick={() => {
            judge.ignore(group);
          }}
        >
          Ignore
        </button>
      )}
      {isOpen && (
        <button
          type="button"
          className="small"
          aria-label={`Accept (${name})`}
          aria-keyshortcuts="Shift+1"
          onClick={() => {
            judge.judge(group.items, 'accepted');
          }}
        >
          Accept
        </button>
      )}
    </span>
  );
}
