import * as v from 'valibot';
import { route } from '../route.js';
import { about, amount, maybe, object, string, time } from '../schema/kinds.js';

const STATUS = { status: v.literal('ok') };

const PUBLIC = { method: 'GET', scope: 'nothing', tag: 'Service' } as const;

export const service = {
  live: route({ ...PUBLIC, path: '/health/live', summary: 'The process answers.', answer: object(STATUS) }),
  ready: route({
    ...PUBLIC,
    path: '/health/ready',
    summary: 'Whether the storage answers. If not: 503 with the reason.',
    answer: object({
      ...STATUS,
      checked_at: maybe(about('When the whole storage was last checked.', time())),
      text_indexed_until: maybe(
        about('The text index is more than a minute behind: records since then are missing from it.', time()),
      ),
      forwarding: maybe(
        about(
          'Spans that wait to be forwarded by OTLP. Absent: the service forwards none.',
          object({
            waiting_spans: amount(),
            waiting_since: maybe(time()),
            problem: maybe(about('Why they wait, if this process knows it.', string())),
          }),
        ),
      ),
    }),
  }),
  openApi: route({ ...PUBLIC, path: '/api/openapi.json', summary: 'This description.', answer: object({}) }),
};
