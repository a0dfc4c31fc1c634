import { LIMITS } from '../../limits.js';
import { isFunctionName } from '../../records/native-function.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, flag, list, maybe, object, string, whole } from '../schema/kinds.js';
import { items } from './page.js';

const MOST_SOURCE = 1024 * 1024;
const MOST_NOTE = 4096;

const SUMMARY = {
  name: string(),
  version: about('1, 2, 3, …', whole()),
  entry: about('The function in the source that a call runs.', string()),
  note: maybe(about('Why this version was created.', string())),
  created_at: string(),
  is_active: flag(),
};

const VERSION = about(
  'A version of a native function. Versions never change; only `is_active` does.',
  object({ ...SUMMARY, source: about('The complete BAML source.', string()) }),
);

const READ = { method: 'GET', scope: 'read', tag: 'Functions' } as const;
const WRITE = { method: 'POST', scope: 'manage', tag: 'Functions' } as const;

export const functions = {
  list: route({
    ...READ,
    path: '/api/v1/functions',
    summary: 'Lists native functions.',
    answer: items(
      object({
        name: string(),
        active_version: about('The version that calls run by default.', whole()),
        version_count: whole(),
        updated_at: string(),
      }),
    ),
  }),
  listVersions: route({
    ...READ,
    path: '/api/v1/functions/:name/versions',
    summary: 'Lists the versions of a function, without their sources.',
    answer: items(
      object({
        ...SUMMARY,
        activated_at: about(
          `When calls began to run it, newest first, as far as it is among the last ${LIMITS.activations} activations of the function.`,
          list(string()),
        ),
      }),
    ),
  }),
  push: route({
    ...WRITE,
    path: '/api/v1/functions/:name/versions',
    parameters: {
      name: kinds.matching(
        isFunctionName,
        'a letter, then up to 127 letters, digits, dots, dashes and underscores',
      ),
    },
    summary: 'Adds a version, unless its source and entry equal those of the newest version.',
    body: object({
      source: kinds.matching(
        (text) => text.trim() !== '' && text.length <= MOST_SOURCE,
        `BAML source of 1 to ${MOST_SOURCE} characters`,
      ),
      entry: maybe(about('The function in the source that a call runs. Default: the name.', string())),
      note: maybe(kinds.text(MOST_NOTE)),
      activate: maybe(about('Whether calls run this version from now on. Default: true.', flag())),
    }),
    answer: VERSION,
    status: 201,
  }),
  get: route({
    ...READ,
    path: '/api/v1/functions/:name/versions/:version',
    parameters: { version: kinds.version('active', 1) },
    summary: 'Returns a version with its source, or 304 if `If-None-Match` names its ETag.',
    answer: VERSION,
  }),
  activate: route({
    ...WRITE,
    path: '/api/v1/functions/:name/activate',
    memberScope: 'replay',
    summary:
      'Activates a version, which calls then run. Requires a signed-in developer or admin, or a key with the scope `manage`.',
    body: object({
      version: whole(1),
      replaces: maybe(about('Refuse with 409 unless this version is active.', whole(1))),
    }),
    answer: VERSION,
    conflict: 'Another version than `replaces` is active.',
  }),
};

export type PushFunctionRequest = Input<typeof functions.push>;
export type FunctionVersionRecord = Answer<typeof functions.get>;
export type FunctionVersionSummary = Answer<typeof functions.listVersions>['items'][number];
export type ActivateFunctionRequest = Input<typeof functions.activate>;
export type FunctionSummary = Answer<typeof functions.list>['items'][number];
