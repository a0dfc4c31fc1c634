import { LONGEST_SHARE_LIFE_S } from '../../http/share-links.js';
import { type Answer, type Input, route } from '../route.js';
import { about, flag, maybe, object, string, uuid, whole } from '../schema/kinds.js';
import { items } from './page.js';

const SUMMARY = {
  id: string(),
  trace_id: maybe(string()),
  test_run_id: maybe(string()),
  payloads: about('Whether the link shows inputs, outputs and other recorded values.', flag()),
  created_at: string(),
  expires_at: string(),
  created_by: maybe(about('The member who made it.', string())),
  last_opened_at: maybe(about('Updated at most once an hour.', string())),
};

const ACCESS = { scope: 'manage', memberScope: 'replay', tag: 'Sharing' } as const;

export const shareLinks = {
  list: route({
    ...ACCESS,
    method: 'GET',
    path: '/api/v1/share-links',
    summary: 'Lists share links that have not expired, newest first, without their secrets.',
    answer: items(object(SUMMARY)),
  }),
  create: route({
    ...ACCESS,
    method: 'POST',
    path: '/api/v1/share-links',
    summary:
      'Creates a link that shows one trace or one test run to anyone who has it. Only this response contains the link. Requires a signed-in developer or admin, or a key with the scope `manage`.',
    body: object({
      trace_id: maybe(about('Pass this or `test_run_id`.', uuid())),
      test_run_id: maybe(uuid()),
      payloads: maybe(
        about('Whether the link shows inputs, outputs and other recorded values. Default: false.', flag()),
      ),
      expires_in_s: maybe(about('Lifetime in seconds. Default: 7 days.', whole(1, LONGEST_SHARE_LIFE_S))),
    }),
    answer: object({ ...SUMMARY, link: about('Its last part is the secret.', string()) }),
    status: 201,
    conflict: 'The account has too many links.',
  }),
  revoke: route({
    ...ACCESS,
    method: 'DELETE',
    path: '/api/v1/share-links/:id',
    summary: 'Ends a link immediately.',
  }),
};

export type ShareLinkSummary = Answer<typeof shareLinks.list>['items'][number];
export type CreateShareLinkRequest = Input<typeof shareLinks.create>;
export type CreatedShareLink = Answer<typeof shareLinks.create>;
