import * as v from 'valibot';
import { LONGEST_LINK_LIFE_S, ROLES } from '../../http/members.js';
import { LIMITS } from '../../limits.js';
import { type Answer, type Input, route } from '../route.js';
import { about, choice, label, maybe, object, string, whole } from '../schema/kinds.js';
import { items } from './page.js';

/** A person who signs in to the account's dashboard. */
export const MEMBER = object({ id: string(), name: string(), role: choice(ROLES) });

const SUMMARY = {
  ...MEMBER.entries,
  created_at: string(),
  joined_at: maybe(about('When the member used the first link. Absent until then.', string())),
  link_expires_at: maybe(
    about("When the member's unused link expires or expired. Absent without an unused link.", string()),
  ),
};

const LINK = object({
  ...SUMMARY,
  link_expires_at: string(),
  link: about(
    'Works once, and only this response contains it. The token follows the `#`, which browsers never send to a server.',
    string(),
  ),
});

const LIFE = {
  expires_in_s: maybe(
    about('Lifetime of the link in seconds. Default: 7 days.', whole(1, LONGEST_LINK_LIFE_S)),
  ),
};

const ROLE = about('A caller can grant only roles without more permissions than its own.', choice(ROLES));

const ACCESS = { scope: 'manage', tag: 'Access' } as const;

export const members = {
  list: route({
    ...ACCESS,
    method: 'GET',
    path: '/api/v1/members',
    summary: 'Lists members, including invited ones.',
    answer: items(object(SUMMARY)),
  }),
  invite: route({
    ...ACCESS,
    method: 'POST',
    path: '/api/v1/members',
    summary: 'Invites a member. Only this response contains the link.',
    body: object({
      name: about(
        'Unique within the account, ignoring case.',
        v.pipe(label(LIMITS.memberNameLength), v.trim()),
      ),
      role: ROLE,
      ...LIFE,
    }),
    answer: LINK,
    status: 201,
    conflict: 'A member has that name, or there are too many.',
  }),
  changeRole: route({
    ...ACCESS,
    method: 'POST',
    path: '/api/v1/members/:id/role',
    summary: 'Changes the role of a member immediately.',
    body: object({ role: ROLE }),
    answer: object(SUMMARY),
    conflict: 'The member is the last admin.',
  }),
  createLink: route({
    ...ACCESS,
    method: 'POST',
    path: '/api/v1/members/:id/link',
    summary: 'Creates another link for a member who lost the first one or the sign-in code.',
    body: object(LIFE),
    answer: LINK,
    status: 201,
  }),
  remove: route({
    ...ACCESS,
    method: 'DELETE',
    path: '/api/v1/members/:id',
    summary: 'Removes a member and ends all their sessions immediately.',
    conflict: 'The member is the last admin.',
  }),
  join: route({
    method: 'POST',
    path: '/api/v1/join',
    scope: 'nothing',
    tag: 'Access',
    summary: "Redeems a member's link. The response sets the cookie of the browser.",
    body: object({ token: about('The part of the link after the `#`.', string()) }),
    answer: object({
      member: MEMBER,
      account: object({ id: string(), name: string() }),
      sign_in_code: about('Signs the member in from now on. Only this response contains it.', string()),
    }),
  }),
};

export type Member = Answer<typeof members.join>['member'];
export type MemberSummary = Answer<typeof members.changeRole>;
export type InviteMemberRequest = Input<typeof members.invite>;
export type MemberLink = Answer<typeof members.invite>;
export type JoinAnswer = Answer<typeof members.join>;
