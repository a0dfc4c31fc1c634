import type { BaselineScore, ItemScore, TestRunItemRecord, TestRunItemSummary } from '@dacapo/protocol';
import { formatScore } from '../../shared/scores/format-score.js';
import styles from './item-scores.module.css';

/** The scores in the header of an item, with the baseline's score where it differs. */
export function ScoresInLine({
  item: { scores = [], original_scores: before = [] },
}: {
  item: TestRunItemSummary;
}) {
  const lost = lostScores(scores, before);
  if (scores.length + lost.length === 0) return null;
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
      {lost.map(({ name, value }) => (
        <li key={name} data-change="worse">
          {name} <strong>none</strong>
          <span className="muted"> was {formatScore(value)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The scores of an item with their explanations. */
export function ScoreList({
  item: { scores = [], original_scores: before = [] },
}: {
  item: TestRunItemRecord;
}) {
  const lost = lostScores(scores, before);
  if (scores.length + lost.length === 0) return null;
  return (
    <section role="group" aria-label="Scores of this call" className={styles.scores}>
      <h3>Scores</h3>
      <dl>
        {scores.map((score) => (
          <ScoreEntry
            key={score.name}
            score={score}
            before={before.find(({ name }) => name === score.name)}
          />
        ))}
        {lost.map(({ name, value, reused }) => (
          <div key={name} className={styles.entry}>
            <dt>{name}</dt>
            <dd>
              <strong>none</strong>
              <BaselineNote value={value} reused={reused} />
            </dd>
          </div>
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
        {before && <BaselineNote value={before.value} reused={before.reused} />}
        {explanation !== undefined && <p>{explanation}</p>}
      </dd>
    </div>
  );
}

function BaselineNote({ value, reused }: { value: ItemScore['value']; reused: true | undefined }) {
  return (
    <span className="muted">
      {' '}
      baseline: {formatScore(value)}
      {reused && ' (reused)'}
    </span>
  );
}

/** Scores that the baseline has and the candidate has not: its call or an evaluator failed. */
function lostScores(scores: readonly ItemScore[], before: readonly BaselineScore[]): BaselineScore[] {
  return before.filter(({ name, value }) => value !== null && !scores.some((score) => score.name === name));
}

function compareScores(before: ItemScore['value'], now: ItemScore['value']): 'better' | 'worse' | undefined {
  const [from, to] = [Number(before), Number(now)];
  const isText = typeof before === 'string' || typeof now === 'string' || before === null || now === null;
  if (isText || from === to) return undefined;
  return to > from ? 'better' : 'worse';
}
