import * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import { CONTEXT_EXPANSIONS } from '../../records/indexed-service.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, choice, list, maybe, object, type Schema, string, text, whole } from '../schema/kinds.js';
import { INDEXED_SERVICE } from './indexes.js';

const QUERY_LENGTH = 10_000;
const { indexesAtOnce: MOST_INDEXES } = LIMITS;

/** The envelope of the developer endpoints (SPEC 2.1). */
const envelope = <Data>(data: Schema<Data>) => object({ ok: kinds.yes(), error: v.null(), data });

const PASSAGE = object({
  title: about("The document's title and the headings down to the passage, joined by ` › `.", string()),
  heading_path: about('The same parts as a list.', list(string())),
  index_id: string(),
  source: about('Path or URL of the document.', string()),
  anchor: maybe(about('URL fragment of the passage, without `#`. Absent if there is none.', string())),
  line: maybe(about('First line in the document, from 1. Absent if unknown.', whole())),
  content: string(),
  score: about('Higher is closer. Comparable only within one response.', kinds.number()),
});

const INDEX_IDS = v.pipe(
  list(string()),
  v.transform((ids) => [...new Set(ids)]),
  v.check(
    ({ length }) => length > 0 && length <= MOST_INDEXES,
    ({ input }) => `must have 1 to ${MOST_INDEXES} ids, not ${input.length}`,
  ),
);

const SEARCH = object({
  index_id: maybe(about('Set either this or `index_ids`.', string())),
  index_ids: maybe(
    about(`Several indexes, at most ${MOST_INDEXES}. Their passages are ranked together.`, INDEX_IDS),
  ),
  query: text(QUERY_LENGTH),
  limit: maybe(about('Default: 5, or 50 with `max_tokens`.', whole(1, 50))),
  max_tokens: maybe(
    about(
      'Token budget: at least one passage, then as many as fit. A token counts as four characters, or as one in unspaced scripts.',
      whole(1, LIMITS.contextTokens),
    ),
  ),
  expand: maybe(
    about(
      'Adds the sections before and after each passage, or the whole page, as far as the budget allows.',
      choice(CONTEXT_EXPANSIONS),
    ),
  ),
  language: maybe(
    about(
      'Excludes passages whose code is only in other programming languages: `python`, `ts`, `C#`.',
      kinds.label(),
    ),
  ),
});

/** What developers' tools ask (SPEC 4.1). */
export const developer = {
  listIndexes: route({
    method: 'GET',
    path: '/api/v1/developer/list-indexes',
    scope: 'key',
    tag: 'Indexes',
    summary: 'Lists the indexed services.',
    answer: envelope(object({ indexes: list(object(INDEXED_SERVICE)) })),
  }),
  getContext: route({
    method: 'POST',
    path: '/api/v1/developer/get-context',
    scope: 'read',
    tag: 'Indexes',
    summary: 'Finds passages in one or more indexes.',
    body: SEARCH,
    answer: envelope(
      object({
        index_id: maybe(about('The searched index. Absent if there were several.', string())),
        results: list(PASSAGE),
        notes: maybe(
          about(
            'Why the ranking was degraded, such as an unavailable embedder. Absent if it was not.',
            list(string()),
          ),
        ),
      }),
    ),
  }),
};

export type IndexedService = Answer<typeof developer.listIndexes>['data']['indexes'][number];
export type GetContextRequest = Input<typeof developer.getContext>;
export type GetContextData = Answer<typeof developer.getContext>['data'];
export type ContextResult = GetContextData['results'][number];
