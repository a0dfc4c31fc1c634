import { ROUTES } from '../../http/routes.js';
import { isFunctionName } from '../../records/native-function.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, flag, maybe, object, string, whole } from '../schema/kinds.js';
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
    path: ROUTES.functions,
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
    path: ROUTES.functionVersions,
    summary: 'Lists the versions of a function, without their sources.',
    answer: items(object(SUMMARY)),
  }),
  push: route({
    ...WRITE,
    path: ROUTES.functionVersions,
    parameters: {
      name: kinds.matching(
        isFunctionName,
        'a letter, then up to 127 letters, digits, dots, dashes and underscores',
      ),
    },
    summary: 'Adds a version, unless source and entry equal those of the newest one.',
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
    path: ROUTES.functionVersion,
    parameters: { version: kinds.version('active', 1) },
    summary: 'A version with its source; 304 with an `If-None-Match` that names its ETag.',
    answer: VERSION,
  }),
  activate: route({
    ...WRITE,
    path: ROUTES.activateFunction,
    summary: 'Chooses the version that calls run.',
    body: object({ version: whole(1) }),
    answer: VERSION,
  }),
};

export type PushFunctionRequest = Input<typeof functions.push>;
export type FunctionVersionRecord = Answer<typeof functions.get>;
export type FunctionVersionSummary = Answer<typeof functions.listVersions>['items'][number];
export type FunctionSummary = Answer<typeof functions.list>['items'][number];
