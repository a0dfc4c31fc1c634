import { type Answer, route } from '../route.js';
import { about, flag, maybe, object, sha256, string } from '../schema/kinds.js';
import { media } from './media.js';
import { PAGE } from './page.js';
import { TEST_RUN } from './test-run-record.js';
import { testRuns } from './test-runs.js';
import { traces } from './traces.js';

const SHARED = { method: 'GET', scope: 'nothing', tag: 'Sharing' } as const;

const BASE = '/api/v1/shared/:secret';

/** What the holder of a link may call: routes with the addresses and answers of an account's, below the secret. */
export const shared = {
  get: route({
    ...SHARED,
    path: BASE,
    summary: 'What a share link shows.',
    answer: object({
      trace_id: maybe(string()),
      test_run_id: maybe(string()),
      payloads: flag(),
      expires_at: string(),
    }),
  }),
  getTrace: route({
    ...SHARED,
    path: `${BASE}/traces/:id`,
    summary:
      'The shared trace and its spans, without session, user, scores and links to other traces. Without payloads also without previews, tags, metadata and contexts.',
    query: traces.get.query,
    answer: traces.get.answer,
  }),
  getSpan: route({
    ...SHARED,
    path: `${BASE}/traces/:id/spans/:span_id`,
    summary: 'A span of the shared trace with its payload. 404 for links without payloads.',
    answer: traces.getSpan.answer,
  }),
  getMedia: route({
    ...SHARED,
    path: `${BASE}/media/:id`,
    summary: 'Bytes that the shared trace refers to. 404 for links without payloads.',
    parameters: { id: sha256() },
    answerStream: media.get.answerStream,
  }),
  getRun: route({
    ...SHARED,
    path: `${BASE}/test-runs/:id`,
    summary: 'The shared test run with its totals, without selection, authors and the ids of other runs.',
    answer: object({ ...TEST_RUN.entries, url: about('Empty.', string()) }),
  }),
  listItems: route({
    ...SHARED,
    path: `${BASE}/test-runs/:id/items`,
    summary: 'Items of the shared run, without the ids of traces. Without payloads also without previews.',
    query: PAGE,
    answer: testRuns.listItems.answer,
  }),
  getItem: route({
    ...SHARED,
    path: `${BASE}/test-runs/:id/items/:item_no`,
    parameters: testRuns.getItem.parameters,
    summary: 'One item of the shared run with its payloads. 404 for links without payloads.',
    query: testRuns.getItem.query,
    answer: testRuns.getItem.answer,
  }),
};

export type SharedObject = Answer<typeof shared.get>;
