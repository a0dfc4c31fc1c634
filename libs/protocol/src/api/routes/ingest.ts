import { INGEST_PATH } from '../../http/headers.js';
import { type Answer, route } from '../route.js';
import { about, list, maybe, object, string, whole, yes } from '../schema/kinds.js';

export const ingest = {
  send: route({
    method: 'POST',
    path: INGEST_PATH,
    scope: 'ingest',
    tag: 'Recording',
    summary: 'Stores spans, traces, scores and media. Invalid lines do not affect the others.',
    bodyStream: {
      type: 'application/x-ndjson',
      text: 'Each line is `{"span": …}`, `{"trace": …}`, `{"score": …}` or `{"media": …}`.',
    },
    answer: object({
      accepted: whole(),
      rejected: list(
        object({ line: about('Counted from 1.', whole(1)), id: maybe(string()), detail: string() }),
      ),
      duplicate: maybe(about('The service stored this batch id before, so it stored nothing again.', yes())),
      dropped: maybe(
        about(
          'How many accepted records belong to deleted traces or sessions. They are not stored.',
          whole(),
        ),
      ),
    }),
  }),
};

export type IngestAnswer = Answer<typeof ingest.send>;
