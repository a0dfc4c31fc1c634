import { type Judgeable, type Judgement, useJudge } from './judge-context.js';
import styles from './judging.module.css';

const JUDGEMENTS: { judgement: Exclude<Judgement, 'none'>; label: string; key: string }[] = [
  { judgement: 'accepted', label: 'Accept', key: '1' },
  { judgement: 'better', label: 'Better', key: '2' },
  { judgement: 'worse', label: 'Worse', key: '3' },
];

/** Judges one call. A pressed button clears its judgement. */
export function JudgeCall({ item }: { item: Judgeable }) {
  const judge = useJudge();
  if (judge === undefined) return null;
  return (
    <div className={styles.judge} role="group" aria-label="Judge this call">
      {JUDGEMENTS.map(({ judgement, label, key }) => {
        const isPressed = item.judgement === judgement;
        return (
          <button
            key={judgement}
            type="button"
            aria-pressed={isPressed}
            aria-keyshortcuts={key}
            onClick={() => {
              judge.judge([item], isPressed ? 'none' : judgement);
            }}
          >
            {label} <kbd aria-hidden="true">{key}</kbd>
          </button>
        );
      })}
      <p className="muted">
        Later runs with the baseline <code>accepted</code> expect accepted outcomes.
      </p>
    </div>
  );
}
