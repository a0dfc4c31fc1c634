import * as v from 'valibot';
import { ROUTES } from '../../http/routes.js';
import { route } from '../route.js';
import { about, maybe, object, time } from '../schema/kinds.js';

const STATUS = { status: v.literal('ok') };

const PUBLIC = { method: 'GET', scope: 'nothing', tag: 'Service' } as const;

export const service = {
  live: route({ ...PUBLIC, path: ROUTES.live, summary: 'The process answers.', answer: object(STATUS) }),
  ready: route({
    ...PUBLIC,
    path: ROUTES.ready,
    summary: 'The storage answers too. 503 with the reason if it does not.',
    answer: object({
      ...STATUS,
      checked_at: maybe(about('When the whole storage was last checked.', time())),
      text_indexed_until: maybe(
        about('The index of texts is more than a minute behind: it lacks records since then.', time()),
      ),
    }),
  }),
  openApi: route({ ...PUBLIC, path: ROUTES.openApi, summary: 'This description.', answer: object({}) }),
};
