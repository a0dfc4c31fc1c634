import { AUDITED_ACTIONS } from '../../http/audit.js';
import { ROUTES } from '../../http/routes.js';
import { type Answer, route } from '../route.js';
import { about, choice, maybe, object, string } from '../schema/kinds.js';
import { USED_KEY } from './browser-sessions.js';
import { PAGE, page } from './page.js';

export const audit = {
  list: route({
    method: 'GET',
    path: ROUTES.auditLog,
    scope: 'manage',
    tag: 'Access',
    summary: 'Lists who did what to which object, newest first, without payloads and secrets.',
    query: PAGE,
    answer: page(
      object({
        at: string(),
        action: choice(AUDITED_ACTIONS),
        object: maybe(
          about('Id or name of the object, after that of its parent, such as `<test run>/<item>`.', string()),
        ),
        api_key: maybe(about('The key that was used, directly or by a browser that it signed in.', USED_KEY)),
        member: maybe(
          about(
            'The member who did it, with the name at that time.',
            object({ id: string(), name: string() }),
          ),
        ),
        browser_session_id: maybe(string()),
      }),
    ),
  }),
};

export type AuditEntry = Answer<typeof audit.list>['items'][number];
