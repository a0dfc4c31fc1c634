import { LONGEST_OVERLAP_S, MOST_REQUESTS_PER_MINUTE, SCOPES } from '../../http/api-keys.js';
import { type Answer, type Input, route } from '../route.js';
import { about, choice, label, list, maybe, object, set, string, time, whole } from '../schema/kinds.js';
import { items } from './page.js';

const EXPIRES_AT = 'The service rejects the key from this time on. Absent: never.';

const SUMMARY = {
  id: string(),
  name: string(),
  hint: about("The key's first and last characters. The service does not store the rest.", string()),
  scopes: list(choice(SCOPES)),
  created_at: string(),
  last_used_at: maybe(about('Updated at most once a minute.', string())),
  expires_at: maybe(about(EXPIRES_AT, string())),
  requests_per_minute: maybe(whole()),
  replaced_by: maybe(about('The id of the key that replaces it.', string())),
};

const CREATED = {
  ...SUMMARY,
  api_key: about('The complete key. Only this response contains it.', string()),
};

/** A new key. */
export const CREATED_API_KEY = object(CREATED);

const ACCESS = { scope: 'manage', tag: 'Access' } as const;

export const apiKeys = {
  list: route({
    ...ACCESS,
    method: 'GET',
    path: '/api/v1/api-keys',
    summary: 'Lists API keys without their values.',
    answer: items(object(SUMMARY)),
  }),
  create: route({
    ...ACCESS,
    method: 'POST',
    path: '/api/v1/api-keys',
    summary: 'Creates a key. Only this response contains it.',
    body: object({
      name: label(),
      scopes: maybe(
        about('Default: `ingest` only. A caller can grant only scopes that it has.', set(choice(SCOPES))),
      ),
      expires_at: maybe(about(EXPIRES_AT, time())),
      requests_per_minute: maybe(
        about(
          'Rate limit, with bursts of a sixth of it. Default: unlimited.',
          whole(1, MOST_REQUESTS_PER_MINUTE),
        ),
      ),
    }),
    answer: CREATED_API_KEY,
    status: 201,
  }),
  rotate: route({
    ...ACCESS,
    method: 'POST',
    path: '/api/v1/api-keys/:id/rotate',
    summary: 'Creates a key that replaces this one, with the same name, scopes, rate limit and lifetime.',
    body: object({
      overlap_s: maybe(
        about(
          'How long the old key keeps working, in seconds. Default: one day.',
          whole(0, LONGEST_OVERLAP_S),
        ),
      ),
    }),
    answer: object({ ...CREATED, replaces: object({ id: string(), expires_at: string() }) }),
    status: 201,
    conflict: 'Another key already replaced it.',
  }),
  revoke: route({
    ...ACCESS,
    method: 'DELETE',
    path: '/api/v1/api-keys/:id',
    summary: 'Revokes a key immediately and permanently.',
  }),
};

export type ApiKeySummary = Answer<typeof apiKeys.list>['items'][number];
export type CreateApiKeyRequest = Input<typeof apiKeys.create>;
export type CreatedApiKey = Answer<typeof apiKeys.create>;
export type RotatedApiKey = Answer<typeof apiKeys.rotate>;
