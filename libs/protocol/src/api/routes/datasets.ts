import { LIMITS } from '../../limits.js';
import { isDatasetName } from '../../records/dataset.js';
import type { CaptureMeta } from '../../records/span.js';
import { VERDICTS } from '../../records/test-run.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import {
  about,
  json,
  label,
  list,
  maybe,
  object,
  string,
  text,
  unread,
  uuid,
  whole,
} from '../schema/kinds.js';
import { PAGE, page } from './page.js';
import { REFUSED_ENTRY } from './refused-entry.js';
import { KEY_NOTES, SELECTION } from './selection.js';

/** Notes on values. Not read: they are recorded ones. */
const NOTES = kinds.jsonObject() as kinds.Schema<CaptureMeta>;

const CONTENT = {
  input: about('The arguments in recorded form.', list(json())),
  meta: maybe(about('Notes on the arguments are in `meta.input`.', NOTES)),
  expected: maybe(about('The expected output. Absent: none.', json())),
  expected_meta: maybe(
    about(
      "`output`: notes on `expected`. `stream`: if it was copied from a stream, with a generator's return value.",
      NOTES,
    ),
  ),
  metadata: maybe(kinds.jsonObject()),
  source: maybe(
    about(
      'Where the item was copied from.',
      object({
        trace_id: maybe(uuid()),
        span_id: maybe(kinds.spanId()),
        trace_function_key: maybe(label()),
        test_run_id: maybe(uuid()),
        item_no: maybe(whole()),
      }),
    ),
  ),
};

/** An item to add. */
export const NEW_DATASET_ITEM = object({
  id: maybe(about('Default: the service generates one.', uuid())),
  ...CONTENT,
});

export const DATASET_ITEM = about(
  'A copy of a call that outlives the retention of the call. It never changes, unless a deletion of its source call erases it.',
  object({
    id: about('Unique within the account.', string()),
    ...CONTENT,
    erased: maybe(
      about(
        'Its content was erased: `input` is empty and no other content is left. Runs skip it.',
        kinds.yes(),
      ),
    ),
  }),
);

const VERSION = {
  version: about('1, 2, 3, …', whole()),
  base: about('The version that this one is based on; 0 for none.', whole()),
  item_count: whole(),
  added: about('Number of items that the base does not have.', whole()),
  removed: about('Number of base items that this version does not have.', whole()),
  note: maybe(string()),
  created_at: string(),
};

const SUMMARY = {
  name: string(),
  description: maybe(string()),
  created_at: string(),
  updated_at: about('When its latest version was created; `created_at` without a version.', string()),
  latest_version: about('0: it has no version yet.', whole()),
  item_count: about('Number of items in its latest version.', whole()),
};

const DATASET = object({
  ...SUMMARY,
  versions: about(`Newest first, at most ${LIMITS.listedVersions}.`, list(object(VERSION))),
});

const ADD_VERSION = about(
  'What the next version changes. A request that changes nothing creates no version, and the response describes the base.',
  object({
    base: maybe(about('The version to start from; 0 for none. Default: the latest.', whole())),
    if_latest: maybe(
      about(
        'The version that you read last. If the dataset has changed since, the request changes nothing and fails with 409.',
        whole(),
      ),
    ),
    items: maybe(
      about(
        'Items to add. An item replaces the base item with its id, unless the two are equal.',
        list(unread(NEW_DATASET_ITEM)),
      ),
    ),
    from_calls: maybe(
      about(
        'Adds recorded calls with a key. Calls that the base already has are skipped.',
        object({ trace_function_key: label(), selection: maybe(SELECTION) }),
      ),
    ),
    from_test_run: maybe(
      about(
        'Adds items of a run, with their baseline as the expected value. Items that the base already has are skipped. Default: all items.',
        object({
          id: uuid(),
          item_nos: maybe(list(whole())),
          verdict: maybe(kinds.choice(VERDICTS)),
        }),
      ),
    ),
    from_dataset: maybe(
      about(
        'Adds copies of items of another dataset, with ids of their own. Items that the base already has are skipped, and so are erased ones. Default: all items of the latest version.',
        object({
          name: string(),
          version: maybe(whole()),
          ids: maybe(about('Only these items.', list(string()))),
          except_ids: maybe(about('Without these items.', list(string()))),
          part: maybe(
            about(
              'A part of the items. A hash of the source call decides, or of the item id without one: a call is always on the same side.',
              object({
                percent: about('About as many items of 100 are on the first side.', whole(1, 99)),
                is_rest: maybe(about('The other side.', kinds.flag())),
              }),
            ),
          ),
        }),
      ),
    ),
    remove: maybe(about('Ids of base items to remove. Unknown ids are ignored.', list(string()))),
    note: maybe(text(LIMITS.explanationLength)),
  }),
);

const READ = { method: 'GET', scope: 'read', tag: 'Datasets' } as const;
const WRITE = { method: 'POST', scope: 'replay', tag: 'Datasets' } as const;

export const datasets = {
  create: route({
    ...WRITE,
    path: '/api/v1/datasets',
    summary: 'Creates an empty dataset.',
    body: object({
      name: kinds.matching(
        isDatasetName,
        'a letter or a digit, then up to 127 letters, digits, dots, dashes and underscores',
      ),
      description: maybe(text(LIMITS.explanationLength)),
    }),
    answer: DATASET,
    status: 201,
    conflict: 'A dataset has that name.',
  }),
  list: route({
    ...READ,
    path: '/api/v1/datasets',
    summary: 'Lists datasets.',
    query: PAGE,
    answer: page(object(SUMMARY)),
  }),
  get: route({
    ...READ,
    path: '/api/v1/datasets/:name',
    summary: 'A dataset with its versions.',
    answer: DATASET,
  }),
  delete: route({
    ...WRITE,
    method: 'DELETE',
    scope: 'manage',
    path: '/api/v1/datasets/:name',
    summary: 'Deletes a dataset with all its copies.',
  }),
  addVersion: route({
    ...WRITE,
    path: '/api/v1/datasets/:name/versions',
    summary: 'Creates the next version of a dataset.',
    body: ADD_VERSION,
    conflict: 'The latest version is not `if_latest`.',
    answer: about(
      'The latest version. `added` and `removed` count the changes of this request, 0 if it created no version.',
      object({
        ...VERSION,
        unchanged: about('Number of entries that the base already has.', whole()),
        rejected: about('Rejected entries of `items`. The other entries are added.', list(REFUSED_ENTRY)),
        skipped: maybe(
          about(
            'Calls and items that `from_calls`, `from_test_run` and `from_dataset` skipped, by reason.',
            kinds.record(whole()),
          ),
        ),
        ...KEY_NOTES,
      }),
    ),
  }),
  listItems: route({
    ...READ,
    path: '/api/v1/datasets/:name/versions/:version/items',
    parameters: { version: kinds.version('latest') },
    summary: 'Lists the items of a version.',
    query: {
      not_in: maybe(about('A version: returns only items that are not in it.', whole())),
      ...PAGE,
    },
    answer: page(DATASET_ITEM),
  }),
};

export type CreateDatasetRequest = Input<typeof datasets.create>;
export type AddDatasetVersionRequest = Omit<Input<typeof datasets.addVersion>, 'name'>;
export type AddDatasetVersionAnswer = Answer<typeof datasets.addVersion>;
export type DatasetDetail = Answer<typeof datasets.get>;
export type DatasetSummary = Omit<DatasetDetail, 'versions'>;
export type DatasetVersion = DatasetDetail['versions'][number];
export type DatasetItem = Answer<typeof datasets.listItems>['items'][number];
export type DatasetItemInput = NonNullable<AddDatasetVersionRequest['items']>[number];
export type DatasetItemSource = NonNullable<DatasetItem['source']>;
