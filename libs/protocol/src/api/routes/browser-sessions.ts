import * as v from 'valibot';
import { type Answer, route } from '../route.js';
import { about, maybe, object, string, whole, yes } from '../schema/kinds.js';
import { CALLER } from './accounts.js';
import { MEMBER } from './members.js';
import { items } from './page.js';

/** The key that did something. */
export const USED_KEY = object({ id: string(), name: string(), hint: string() });

const SECRET = v.pipe(string(), v.trim());

const ALL = { scope: 'manage', tag: 'Access' } as const;
const OWN = { path: '/api/v1/browser-session', scope: 'key', tag: 'Access' } as const;

/** A signed-in browser has the permissions of the key or the member that signed it in, and ends when that key or member is removed. */
export const browserSessions = {
  signIn: route({
    ...OWN,
    method: 'POST',
    scope: 'nothing',
    summary: 'Signs a browser in with a key or the code of a member. The response sets its cookie.',
    body: v.union(
      [object({ api_key: SECRET }), object({ sign_in_code: SECRET })],
      'must have either api_key or sign_in_code',
    ),
  }),
  get: route({
    ...OWN,
    method: 'GET',
    summary: 'The account, and what this browser may do.',
    answer: CALLER,
  }),
  signOut: route({ ...OWN, method: 'DELETE', summary: 'Signs this browser out.' }),
  list: route({
    ...ALL,
    method: 'GET',
    path: '/api/v1/browser-sessions',
    summary: 'Lists signed-in browsers.',
    answer: items(
      object({
        id: string(),
        api_key: maybe(
          about(
            "The key that signed it in. Without a key and a member, the service's own link signed it in, with all permissions.",
            USED_KEY,
          ),
        ),
        member: maybe(about('The member who signed in.', MEMBER)),
        browser: maybe(about('Name that the browser reports, such as `Firefox on Linux`.', string())),
        created_at: string(),
        last_used_at: maybe(about('Updated at most once a minute.', string())),
        expires_at: string(),
        is_current: maybe(about('The session of this request.', yes())),
      }),
    ),
  }),
  endAll: route({
    ...ALL,
    method: 'DELETE',
    path: '/api/v1/browser-sessions',
    summary: 'Signs out all browsers, including this one.',
    answer: object({ ended: whole() }),
  }),
  end: route({
    ...ALL,
    method: 'DELETE',
    path: '/api/v1/browser-sessions/:id',
    summary: 'Signs one browser out.',
  }),
};

export type BrowserSessionSummary = Answer<typeof browserSessions.list>['items'][number];
