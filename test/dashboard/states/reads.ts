import { API, routePath } from '@dacapo/protocol/api';
import { type Demo, SESSION } from '../demo-account.js';
import { FAILURE, type PageState } from './page-state.js';

type Path = string | ((demo: Demo) => string);

/** Each page that reads something first: its address, and what it reads. */
const READS: [page: string, path: Path, request: Path][] = [
  ['overview', '/', API.changes.find.path],
  ['traces', '/traces', API.traces.list.path],
  [
    'trace',
    (demo) => `/traces/${demo.traces.ticket}`,
    (demo) => routePath(API.traces.get, { id: demo.traces.ticket }),
  ],
  [
    'trace-comparison',
    ({ traces }) => `/traces/${traces.recorded}/compare?with=${traces.replayed}`,
    (demo) => routePath(API.traces.get, { id: demo.traces.replayed }),
  ],
  ['sessions', '/sessions', API.traces.listSessions.path],
  ['session', `/sessions/${SESSION}`, API.traces.list.path],
  ['functions', '/functions', API.metrics.read.path],
  ['function', '/functions/route-ticket', API.metrics.read.path],
  ['runs', '/test-runs', API.testRuns.list.path],
  [
    'run',
    (demo) => `/test-runs/${demo.runs.failed}`,
    (demo) => routePath(API.testRuns.get, { id: demo.runs.failed }),
  ],
  [
    'run-comparison',
    (demo) => `/test-runs/${demo.runs.failed}/compare?with=${demo.runs.passed}`,
    (demo) => routePath(API.testRuns.compare, { id: demo.runs.failed }),
  ],
  [
    'run-grid',
    (demo) => `/runs/compare?ids=${demo.runs.failed},${demo.runs.passed}`,
    API.testRuns.compareAll.path,
  ],
  ['datasets', '/datasets', API.datasets.list.path],
  ['dataset', '/datasets/tickets', routePath(API.datasets.get, { name: 'tickets' })],
  ['review', '/review', API.scores.list.path],
  ['indexes', '/indexes', API.indexes.list.path],
  ['api-keys', '/api-keys', API.apiKeys.list.path],
  ['members', '/members', API.members.list.path],
  ['share-links', '/share-links', API.shareLinks.list.path],
  ['data', '/data', API.retention.get.path],
  ['audit-log', '/audit-log', API.audit.list.path],
];

/** Every page that reads something, while it waits, and after the service has refused. */
export const READING: PageState[] = READS.flatMap(([page, path, request]) => [
  { name: `${page}-loading`, path, shown: /^Loading/, answer: { path: request, never: true } },
  {
    name: `${page}-failed`,
    path,
    shown: FAILURE.detail,
    answer: { path: request, status: FAILURE.status_code, body: FAILURE },
  },
]);
