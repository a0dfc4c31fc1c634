import type { BaselineScore, ItemScore, TestRunItemRecord, TestRunItemSummary } from '@dacapo/protocol';
import { formatScore } from '../../shared/scores/format-score.js';
import styles from './item-scores.module.css';

/** The scores in the header of an item, with the baseline's score where it differs. */
export function ScoresInLine({
  item: { scores = [], original_scores: before = [] },
}: {
  item: TestRunItemSummary;
}) {
  if (scores.length === 0) return null;
  return (
    <ul className={styles.line} aria-label="Scores">
      {scores.map(({ name, value }) => {
        const original = before.find((score) => score.name === name);
        const differs = original !== undefined && original.value !== value;
        return (
          <li key={name} data-change={differs ? compareScores(original.value, value) : undefined}>
            {name} <strong>{formatScore(value)}</strong>
            {differs && <span className="muted"> (was {formatScore(original.value)})</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** The scores of an item with their explanations. */
export function ScoreList({
  item: { scores = [], original_scores: before = [] },
}: {
  item: TestRunItemRecord;
}) {
  if (scores.length === 0) return null;
  return (
    <section aria-label="Scores of this call" className={styles.scores}>
      <h3>Scores</h3>
      <dl>
        {scores.map((score) => (
          <ScoreEntry
            key={score.name}
            score={score}
            before={before.find(({ name }) => name === score.name)}
          />
        ))}
      </dl>
    </section>
  );
}

function ScoreEntry({ score, before }: { score: ItemScore; before: BaselineScore | undefined }) {
  const { name, value, label, explanation } = score;
  return (
    <div className={styles.entry}>
      <dt>{name}</dt>
      <dd>
        <strong>{formatScore(value)}</strong>
        {label !== undefined && ` ${label}`}
        {before && (
          <span className="muted">
            {' '}
            baseline: {formatScore(before.value)}
            {before.reused && ' (reused)'}
          </span>
        )}
        {explanation !== undefined && <p>{explanation}</p>}
      </dd>
    </div>
  );
}

function compareScores(before: ItemScore['value'], now: ItemScore['value']): 'better' | 'worse' | undefined {
  const [from, to] = [Number(before), Number(now)];
  const isText = typeof before === 'string' || typeof now === 'string' || before === null || now === null;
  if (isText || from === to) return undefined;
  return to > from ? 'better' : 'worse';
}
