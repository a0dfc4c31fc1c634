import type * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import { type Agreement, AGREEMENTS } from '../../records/pair-relations.js';
import type { TestRunItemSummary } from '../../records/test-run.js';
import { route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, choice, list, maybe, object, recorded, string, whole } from '../schema/kinds.js';
import { PAGE } from './page.js';
import { TEST_RUN } from './test-run-record.js';

const TOTALS: kinds.Schema<Record<Agreement, number>> = kinds.record(whole());

/** Calls by runs. */
const GRID = object({
  runs: about('In the order of `ids`.', list(TEST_RUN)),
  totals: TOTALS,
  items: about(
    'Disagreements first, then calls with unknown outcomes, then equal ones; each in the order of the runs.',
    list(
      object({
        agreement: about(
          '`different`: at least two runs have different outcomes or verdicts, or one lacks the call. `unknown`: the stored outcomes are not enough to decide.',
          choice(AGREEMENTS),
        ),
        cells: about(
          'One for each run. `item` is absent if the run lacks the call.',
          list(object({ item: maybe(recorded<TestRunItemSummary>('TestRunItemSummary')) })),
        ),
      }),
    ),
  ),
  next_cursor: maybe(string()),
});

export const compareAll = route({
  method: 'GET',
  path: '/api/v1/test-runs/compare',
  scope: 'read',
  tag: 'Test runs',
  summary: 'Compares several runs call by call. Calls are matched as in the comparison of two runs.',
  query: {
    ids: about(`At most ${LIMITS.comparedRuns} runs.`, kinds.set(string(), LIMITS.comparedRuns)),
    agreement: maybe(about('Calls with this result.', choice(AGREEMENTS))),
    ...PAGE,
  },
  answer: GRID,
});

export type RunGrid = v.InferOutput<typeof GRID>;
export type GridRow = RunGrid['items'][number];
