import type * as v from 'valibot';
import { PAIR_RELATIONS, type PairRelation } from '../../records/pair-relations.js';
import type { TestRunItemSummary } from '../../records/test-run.js';
import type { TraceGroup } from '../conditions/metrics-groups.js';
import { route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, choice, list, maybe, number, object, recorded, string, whole } from '../schema/kinds.js';
import { PAGE } from './page.js';
import { TEST_RUN } from './test-run-record.js';

const SUMMARY = recorded<TestRunItemSummary>('TestRunItemSummary');

const MEAN = object({ n: whole(), mean: number() });

const DIFFERENCE = object({
  mean: number(),
  interval: maybe(
    about('Absent if there are too few items, such as one.', object({ low: number(), high: number() })),
  ),
  p: about('Two-sided p-value of "no difference".', number()),
  n: about('Number of items with the figure in both runs.', whole()),
});

/** One figure of both runs. Repetitions of an item are averaged first. */
const FIGURE = object({
  here: maybe(about('Over all items of this run that have the figure.', MEAN)),
  there: maybe(MEAN),
  delta: maybe(
    about(
      'This run minus the other, over items with the figure in both: the mean of paired differences. Absent if there are none.',
      DIFFERENCE,
    ),
  ),
  unknown: maybe(
    about(
      'Items with the figure in only one run, such as after model calls stopped reporting usage. `delta` excludes them. Absent if there are none.',
      object({ here: whole(), there: whole() }),
    ),
  ),
});

const FIGURES = object({
  confidence: about('Confidence level of all intervals, such as 0.95.', number()),
  same: about('Share of items with the verdict `same`.', FIGURE),
  duration_ms: FIGURE,
  tokens: about('Input plus output tokens.', FIGURE),
  cost_usd: FIGURE,
  scores: about('By name; true counts as 1 and false as 0.', kinds.record(FIGURE)),
});

/** A list of values for each field of traces that metrics group by. */
const CANDIDATE = object({
  user_id: list(string()),
  tags: list(string()),
  environment: list(string()),
  release: list(string()),
} satisfies Record<TraceGroup, kinds.Schema>);

const TOTALS: kinds.Schema<Record<PairRelation, number>> = kinds.record(whole());

/** Two runs, item by item. */
const COMPARISON = object({
  here: TEST_RUN,
  there: TEST_RUN,
  totals: TOTALS,
  figures: maybe(about('Only on the first page.', FIGURES)),
  candidates: maybe(
    about(
      "Users, tags, environments and releases of the traces of each run's candidate, the first ten of each in alphabetical order. Only on the first page.",
      object({ here: CANDIDATE, there: CANDIDATE }),
    ),
  ),
  items: about(
    'In the order of this run, then the items that only the other run has.',
    list(
      object({
        relation: choice(PAIR_RELATIONS),
        here: maybe(about('The item in this run.', SUMMARY)),
        there: maybe(about('The item in the other run.', SUMMARY)),
      }),
    ),
  ),
  next_cursor: maybe(string()),
});

export const compare = route({
  method: 'GET',
  path: '/api/v1/test-runs/:id/compare',
  scope: 'read',
  tag: 'Test runs',
  summary:
    'Compares two runs item by item. Items match if they replayed the same call or dataset item in the same repetition; items of a list match by number and input.',
  query: {
    with: about('The run to compare with.', string()),
    relation: maybe(about('Items with this result of the comparison.', choice(PAIR_RELATIONS))),
    ...PAGE,
  },
  answer: COMPARISON,
});

export type RunComparison = v.InferOutput<typeof COMPARISON>;
export type ComparedItem = RunComparison['items'][number];
export type RunFigures = NonNullable<RunComparison['figures']>;
export type ComparedFigure = RunFigures['same'];
export type FigureDifference = NonNullable<ComparedFigure['delta']>;
export type RunCandidate = NonNullable<RunComparison['candidates']>['here'];
