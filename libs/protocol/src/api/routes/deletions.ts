import { LIMITS } from '../../limits.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, label, list, maybe, object, string, whole } from '../schema/kinds.js';
import { PAGE, page } from './page.js';

const SCOPE = {
  trace_ids: maybe(kinds.set(kinds.uuid(), LIMITS.deletedTraces)),
  session_id: maybe(
    about(
      'Everything recorded for this session until now. When the deletion is done, its hex SHA-256 replaces the id.',
      label(),
    ),
  ),
  user_id: maybe(
    about(
      'Everything recorded for this user until now. When the deletion is done, its hex SHA-256 replaces the id.',
      label(),
    ),
  ),
  trace_function_key: maybe(about('Traces that hold a call with this key.', label())),
  before: maybe(
    about(
      'Traces that started before this time; with a key, traces whose first call with the key started before it.',
      kinds.time(),
    ),
  ),
};

const CREATE_DELETION = about(
  'Which traces a deletion removes completely. A trace must match all conditions; at least one is required.',
  object({
    ...SCOPE,
    keep_copies: maybe(
      about(
        'Keeps the copies that people made: dataset items and accepted outcomes. Default: false, they are erased.',
        kinds.flag(),
      ),
    ),
  }),
);

const PREVIEW = { traces: whole(), spans: whole() };

const DELETION = object({
  id: string(),
  reason: about(
    '`request`: an API request. `retention`: a rule of the account. `account`: the account was deleted.',
    kinds.choice(['request', 'retention', 'account']),
  ),
  scope: object({
    ...SCOPE,
    except_keys: maybe(
      about(
        'Excludes traces that hold a call with one of these keys, which have their own rules. Only set by a retention rule.',
        list(string()),
      ),
    ),
  }),
  keep_copies: maybe(kinds.yes()),
  state: about(
    '`waiting`: not started. `running`: started; it continues after a restart. `done`: no byte of the deleted data is left in the database or its log, unless `erased_later` is set.',
    kinds.choice(['waiting', 'running', 'done']),
  ),
  counts: about(
    'What was deleted so far. The counts are exact even if the service was killed in between.',
    object({
      ...PREVIEW,
      scores: whole(),
      dataset_items: about('Dataset items whose content was erased.', whole()),
      run_items: about('Test run items whose content was erased.', whole()),
      accepted_outcomes: whole(),
    }),
  ),
  created_at: string(),
  started_at: maybe(string()),
  ended_at: maybe(string()),
  api_key_id: maybe(
    about('The key that requested it, directly or by a browser that it signed in.', string()),
  ),
  browser_session_id: maybe(string()),
  waiting_for: maybe(
    about(
      'All rows are deleted, but the last bytes wait for this, such as a reader that opened the database earlier.',
      string(),
    ),
  ),
  erased_later: maybe(
    about(
      'No answer contains the deleted data, but its bytes stay in the database files until the database reuses their space.',
      kinds.yes(),
    ),
  ),
  error: maybe(about('Why the last attempt failed. The service retries within a minute.', string())),
});

const DATA = { scope: 'manage', tag: 'Data' } as const;

export const deletions = {
  create: route({
    ...DATA,
    method: 'POST',
    path: '/api/v1/deletions',
    summary: 'Starts a deletion of traces by id, session, user, key or age.',
    body: CREATE_DELETION,
    answer: DELETION,
    status: 201,
  }),
  preview: route({
    ...DATA,
    method: 'POST',
    path: '/api/v1/deletions/preview',
    summary: 'Returns how much a deletion would remove, and deletes nothing.',
    body: CREATE_DELETION,
    answer: about('What a deletion would remove now.', object(PREVIEW)),
  }),
  list: route({
    ...DATA,
    method: 'GET',
    path: '/api/v1/deletions',
    summary: 'Lists deletions, newest first.',
    query: PAGE,
    answer: page(DELETION),
  }),
  get: route({
    ...DATA,
    method: 'GET',
    path: '/api/v1/deletions/:id',
    summary: 'A deletion with its progress.',
    answer: DELETION,
  }),
};

export type CreateDeletionRequest = Input<typeof deletions.create>;
export type DeletionPreview = Answer<typeof deletions.preview>;
export type DeletionRecord = Answer<typeof deletions.get>;
export type DeletionScope = DeletionRecord['scope'];
export type DeletionState = DeletionRecord['state'];
export type DeletionCounts = DeletionRecord['counts'];
