import { AGENT_TOOLS, AUDITED_ACTIONS } from '../../http/audit.js';
import { type Answer, route } from '../route.js';
import { about, choice, label, maybe, object, string } from '../schema/kinds.js';
import { USED_KEY } from './browser-sessions.js';
import { PAGE, page } from './page.js';

export const audit = {
  list: route({
    method: 'GET',
    path: '/api/v1/audit-log',
    scope: 'manage',
    tag: 'Access',
    summary: 'Lists who changed which object, newest first, without payloads or secrets.',
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
  useTool: route({
    method: 'POST',
    path: '/api/v1/audit-log/tools/:tool/:subject',
    scope: 'read',
    tag: 'Access',
    summary: 'Notes that a coding agent uses a tool of `dacapo mcp`.',
    parameters: {
      tool: choice(AGENT_TOOLS),
      subject: about('What it is used on: a key, or an id of a trace or a test run.', label()),
    },
  }),
};

export type AuditEntry = Answer<typeof audit.list>['items'][number];
