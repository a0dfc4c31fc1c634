import type * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import { AUTHOR_KINDS } from '../../records/score.js';
import { JUDGEMENTS, VERDICTS } from '../../records/test-run.js';
import { type Input, route } from '../route.js';
import {
  about,
  choice,
  flag,
  label,
  list,
  maybe,
  number,
  object,
  string,
  text,
  whole,
} from '../schema/kinds.js';
import { PAGE, page } from './page.js';
import { DECIDED, TOTALS } from './test-run-record.js';

const CHECK = object({
  name: about('Path of the limit, such as `changed`.', string()),
  score: maybe(string()),
  min: maybe(number()),
  limit: string(),
  measured: string(),
  passed: flag(),
  failures: about('Why it failed.', list(string())),
});

const PATHS = list(text(LIMITS.ignoredPathLength), LIMITS.ignoredPaths);

/** A decision on a finished run, stored next to that of the client. */
const DECISION = object({
  ...DECIDED,
  note: maybe(string()),
  totals: about('The items as the decision counts them.', TOTALS),
  checks: about("The gate's checks.", list(CHECK)),
  ignore: about('All paths that the decision ignores in outputs.', list(string())),
  change: about(
    'What differs from the decision before: counts of judged items, and paths.',
    object({
      accepted: whole(),
      better: whole(),
      worse: whole(),
      cleared: about('Items whose judgement was removed.', whole()),
      ignored: list(string()),
      compared: about('Paths that are compared again.', list(string())),
    }),
  ),
});

const DECIDE = object({
  after: about(
    'The number of the latest decision that the caller has seen; 0 if none. Another number is a conflict, so that two people do not overwrite each other.',
    whole(),
  ),
  judgements: maybe(
    about(
      `At most ${LIMITS.judgedItems}. Accepted items also become the expected outcomes of later runs, if these can identify them.`,
      list(
        object({
          item_no: whole(),
          repetition: maybe(about('Default: 0.', whole(0, LIMITS.repetitions))),
          judgement: about(
            '`accepted` and `better` count as `same`, `worse` counts as `changed`. `better` and `worse` also add the score `better` to the item. `none` removes a judgement.',
            choice([...JUDGEMENTS, 'none']),
          ),
          verdict: maybe(
            about(
              'The verdict that the caller has seen. Another stored verdict is a conflict.',
              choice(VERDICTS),
            ),
          ),
        }),
        LIMITS.judgedItems,
      ),
    ),
  ),
  ignore: maybe(
    about(
      'Paths in outputs, such as `$.created_at`, that this run and later runs with its key ignore. A path must end with a name. Errors are never ignored.',
      PATHS,
    ),
  ),
  compare: maybe(about('Ignored paths that this run and later ones compare again.', PATHS)),
  author: maybe(
    about(
      'Default: the account. A member always decides as themselves.',
      object({ kind: choice(AUTHOR_KINDS), name: label() }),
    ),
  ),
  note: maybe(text(LIMITS.explanationLength)),
});

export const decisions = {
  decide: route({
    method: 'POST',
    path: '/api/v1/test-runs/:id/decisions',
    scope: 'replay',
    tag: 'Test runs',
    summary:
      'Judges items or ignores paths, evaluates the gate of a finished run again, and stores the new decision. Requires a signed-in developer or admin, or a key with the scope `manage`.',
    body: DECIDE,
    answer: object({
      decision: DECISION,
      refused: maybe(
        about(
          'Items that cannot be judged so, and stay as they are.',
          list(object({ item_no: whole(), repetition: maybe(whole()), detail: string() })),
        ),
      ),
    }),
    status: 201,
    conflict:
      'There is a newer decision, the run is not finished, its gate cannot be evaluated again, or an item cannot be judged so.',
  }),
  list: route({
    method: 'GET',
    path: '/api/v1/test-runs/:id/decisions',
    scope: 'read',
    tag: 'Test runs',
    summary:
      "Lists people's decisions on a run, newest first. The client's own decision is in the run's `summary`.",
    query: PAGE,
    answer: page(DECISION),
  }),
};

export type DecisionRecord = v.InferOutput<typeof DECISION>;
export type DecideRequest = Omit<Input<typeof decisions.decide>, 'id'>;
export type JudgedItem = NonNullable<DecideRequest['judgements']>[number];
