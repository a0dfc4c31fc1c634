import { SCOPES } from '../../http/api-keys.js';
import { type Answer, type Input, route } from '../route.js';
import { about, choice, label, list, maybe, object, string } from '../schema/kinds.js';
import { CREATED_API_KEY } from './api-keys.js';
import { MEMBER } from './members.js';

const ACCOUNT = { id: string(), name: string(), created_at: string() };

/** Who sent the request. */
export const CALLER = object({
  ...ACCOUNT,
  scopes: about('Permissions of the key or the browser session.', list(choice(SCOPES))),
  member: maybe(
    about(
      "The signed-in member. Absent for a key, and for a browser that a key or the service's own link signed in.",
      MEMBER,
    ),
  ),
});

export const accounts = {
  get: route({
    method: 'GET',
    path: '/api/v1/account',
    scope: 'key',
    tag: 'Access',
    summary: 'The account, and the permissions of the key.',
    answer: CALLER,
  }),
  delete: route({
    method: 'DELETE',
    path: '/api/v1/account',
    scope: 'manage',
    tag: 'Access',
    summary: 'Deletes the account and all its data.',
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/accounts',
    scope: 'nothing',
    tag: 'Access',
    summary: 'Creates an account. Needs the operator token, without which the route does not exist.',
    body: object({ name: label() }),
    answer: object({
      account: object(ACCOUNT),
      api_key: about("The account's first key, with all scopes.", CREATED_API_KEY),
    }),
    status: 201,
  }),
};

export type CallerDetail = Answer<typeof accounts.get>;
export type CreateAccountRequest = Input<typeof accounts.create>;
export type CreatedAccount = Answer<typeof accounts.create>;
export type AccountDetail = CreatedAccount['account'];
