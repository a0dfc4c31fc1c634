import { LIMITS } from '../../limits.js';
import type { ScoreRecord } from '../../records/score.js';
import { type Answer, type Input, route } from '../route.js';
import { about, flag, list, maybe, object, recorded, string, whole } from '../schema/kinds.js';
import { PAGE, page } from './page.js';
import { REFUSED_ENTRY } from './refused-entry.js';

const SCORE = recorded<ScoreRecord>('ScoreRecord');

export const scores = {
  add: route({
    method: 'POST',
    path: '/api/v1/scores',
    scope: 'ingest',
    tag: 'Recording',
    summary: 'Adds scores to traces, spans, sessions and test run items.',
    body: object({ scores: about(`At most ${LIMITS.scores}.`, list(SCORE)) }),
    answer: object({
      accepted: about('Includes scores that were stored before.', whole()),
      rejected: list(REFUSED_ENTRY),
    }),
  }),
  list: route({
    method: 'GET',
    path: '/api/v1/scores',
    scope: 'read',
    tag: 'Reading',
    summary: 'Lists scores, newest first.',
    query: {
      trace_id: maybe(about('Scores of this trace and its spans.', string())),
      span_id: maybe(about('Scores of this span. Requires `trace_id`.', string())),
      session_id: maybe(about('Scores of this session.', string())),
      test_run_id: maybe(about('Scores of items of this test run.', string())),
      item_no: maybe(about('Scores of this item. Requires `test_run_id`.', whole())),
      name: maybe(about('Scores with this name.', string())),
      author: maybe(about('Scores of authors with this name.', string())),
      history: maybe(
        about('Includes earlier scores of a target, name and author. Default: only the latest.', flag()),
      ),
      ...PAGE,
    },
    answer: page(SCORE),
  }),
};

export type AddScoresRequest = Input<typeof scores.add>;
export type AddScoresAnswer = Answer<typeof scores.add>;
