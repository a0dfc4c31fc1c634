import { type Agreement, cohensKappa } from '@dacapo/evaluation';
import type { AuthorKind, ScoreRecord } from '@dacapo/protocol';
import { type Choice, type Scale, toChoice } from './scale.js';

/** What a person and the judge chose for the same target. */
export interface RatedPair {
  person: ScoreRecord;
  judge: ScoreRecord;
  byPerson: Choice;
  byJudge: Choice;
}

export interface JudgeAgreement {
  pairs: RatedPair[];
  disagreements: RatedPair[];
  /** How often people chose the row while the judge chose the column, in the order of the scale. */
  table: number[][];
  agreement: Agreement;
}

export function targetId(score: Partial<ScoreRecord>): string {
  const { trace_id, span_id, session_id, test_run_id, item_no, repetition = 0 } = score;
  return JSON.stringify([trace_id, span_id, session_id, test_run_id, item_no, repetition]);
}

/**
 * Compares people with the judge: for each target that both scored, the newest score of a person and of an evaluator. Scores that
 * mean no choice of the scale are skipped.
 *
 * @param scores of one name, newest first
 */
export function compareWithJudge(scores: readonly ScoreRecord[], scale: Scale): JudgeAgreement {
  const people = newestByTarget(scores, 'person');
  const judges = newestByTarget(scores, 'evaluator');
  const pairs = [...people].flatMap(([target, person]): RatedPair[] => {
    const judge = judges.get(target);
    const byPerson = toChoice(scale, person.value);
    const byJudge = judge && toChoice(scale, judge.value);
    return judge && byPerson && byJudge ? [{ person, judge, byPerson, byJudge }] : [];
  });
  return {
    pairs,
    disagreements: pairs.filter(({ byPerson, byJudge }) => byPerson !== byJudge),
    table: scale.choices.map((row) =>
      scale.choices.map(
        (column) => pairs.filter(({ byPerson, byJudge }) => byPerson === row && byJudge === column).length,
      ),
    ),
    agreement: cohensKappa(pairs.map(({ byPerson, byJudge }) => [byPerson.value, byJudge.value])),
  };
}

function newestByTarget(scores: readonly ScoreRecord[], kind: AuthorKind): Map<string, ScoreRecord> {
  const newest = new Map<string, ScoreRecord>();
  for (const score of scores) {
    const target = targetId(score);
    if (score.author.kind === kind && !newest.has(target)) newest.set(target, score);
  }
  return newest;
}
