import type { ScoreRecord } from '@dacapo/protocol';
import { Time } from '../ui/time.js';
import { formatScore } from './format-score.js';
import styles from './score-list.module.css';

/** Scores by people, programs and evaluators, with author, time and explanation. */
export function ScoreList({ scores }: { scores: ScoreRecord[] }) {
  return (
    <ul className={styles.scores}>
      {scores.map(({ id, name, value, label, explanation, author, created_at }) => (
        <li key={id}>
          <span>
            {name} <strong>{formatScore(value)}</strong>
            {label !== undefined && ` ${label}`}
          </span>{' '}
          <span className="muted">
            {author.kind} {author.name}, <Time at={created_at} />
          </span>
          {explanation !== undefined && <p>{explanation}</p>}
        </li>
      ))}
    </ul>
  );
}
