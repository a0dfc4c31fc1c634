import { ROUTES } from '@dacapo/protocol';
import type { Operation } from './operation.js';
import { ref, object, list, page, envelope, health } from './schema.js';

/** Every route but the pages, as `METHOD path`. What it needs and which query it takes, the route itself says. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  [`POST ${ROUTES.ingest}`]: {
    ...{ tag: 'Recording', summary: 'Takes spans, traces and scores: lines of JSON, refused one by one.' },
    body: {
      ...{ type: 'string', description: 'Each line is `{"span": …}`, `{"trace": …}` or `{"score": …}`.' },
    },
    ...{ bodyType: 'application/x-ndjson', answer: ref('IngestAnswer') },
  },
  [`POST ${ROUTES.scores}`]: {
    ...{ tag: 'Recording', summary: 'Adds scores of traces, spans, sessions and items of runs.' },
    ...{ body: ref('AddScoresRequest'), answer: ref('AddScoresAnswer') },
  },
  [`GET ${ROUTES.traces}`]: {
    ...{ tag: 'Reading', summary: 'Lists traces, the newest first.', answer: ref('TracePage') },
  },
  [`GET ${ROUTES.export}`]: {
    ...{ tag: 'Reading', summary: 'Traces with all that they hold, the newest first, as a stream of lines.' },
    answer: {
      type: 'string',
      description:
        'Lines that an ingest accepts. The last line of each trace has a `cursor` next to its record: pass it to continue an export. A ' +
        'stream that breaks off ends without its last chunk.',
    },
    answerType: 'application/x-ndjson',
  },
  [`GET ${ROUTES.trace}`]: {
    ...{ tag: 'Reading', summary: 'A trace and its spans, without payloads.', answer: ref('TraceDetail') },
  },
  [`GET ${ROUTES.span}`]: {
    ...{ tag: 'Reading', summary: 'One span with its payload.', answer: ref('SpanDetail') },
  },
  [`GET ${ROUTES.descendants}`]: {
    ...{ tag: 'Reading', summary: 'The calls inside a call, in the order of their starts.' },
    answer: page('RecordedDescendant'),
  },
  [`GET ${ROUTES.traceFunctionKeys}`]: {
    ...{ tag: 'Reading', summary: 'Lists trace function keys.', answer: list('TraceFunctionKeySummary') },
  },
  [`GET ${ROUTES.facets}`]: {
    ...{ tag: 'Reading', summary: 'Lists values that filters may take.', answer: ref('FacetValues') },
  },
  [`POST ${ROUTES.searchCalls}`]: {
    ...{ tag: 'Reading', summary: 'Finds stored calls of a key, with their payloads.' },
    ...{ body: ref('SearchCallsRequest'), answer: page('RecordedCallTree') },
  },
  [`GET ${ROUTES.sessions}`]: {
    ...{ tag: 'Reading', summary: 'Lists sessions, the newest first.', answer: page('SessionSummary') },
  },
  [`GET ${ROUTES.scores}`]: {
    ...{ tag: 'Reading', summary: 'Lists scores, the newest first.', answer: page('ScoreRecord') },
  },
  [`POST ${ROUTES.costs}`]: {
    ...{ tag: 'Reading', summary: 'What requests to models would cost now.' },
    ...{ body: ref('ComputeCostsRequest'), answer: ref('ComputeCostsAnswer') },
  },
  [`GET ${ROUTES.metrics}`]: {
    ...{ tag: 'Reading', summary: 'Calls, errors, durations, tokens and cost, by key and time.' },
    answer: ref('MetricsAnswer'),
  },
  [`GET ${ROUTES.baselineScores}`]: {
    ...{ tag: 'Test runs', summary: 'Scores that later runs reuse.', answer: ref('BaselineScoresAnswer') },
  },
  [`POST ${ROUTES.testRuns}`]: {
    ...{ tag: 'Test runs', summary: 'Begins a test run, and resolves what it plays.' },
    ...{ body: ref('CreateTestRunRequest'), answer: ref('TestRunRecord') },
  },
  [`GET ${ROUTES.testRuns}`]: {
    ...{ tag: 'Test runs', summary: 'Lists test runs, the newest first.', answer: page('TestRunRecord') },
  },
  [`GET ${ROUTES.testRun}`]: {
    ...{ tag: 'Test runs', summary: 'A test run with its totals.', answer: ref('TestRunRecord') },
  },
  [`GET ${ROUTES.compareTestRun}`]: {
    ...{ tag: 'Test runs', summary: 'Compares two runs item by item.', answer: ref('RunComparison') },
  },
  [`GET ${ROUTES.testRunCalls}`]: {
    ...{
      tag: 'Test runs',
      summary: 'The calls that a run plays, in its order.',
      answer: page('SelectedCall'),
    },
  },
  [`POST ${ROUTES.testRunItems}`]: {
    conflict: 'The run is finished.',
    ...{ tag: 'Test runs', summary: 'Reports items. Each one is accepted or refused on its own.' },
    ...{ body: ref('ReportTestRunItemsRequest'), answer: ref('ReportTestRunItemsAnswer') },
  },
  [`GET ${ROUTES.testRunItems}`]: {
    ...{ tag: 'Test runs', summary: 'Lists the items of a run in their order.' },
    answer: {
      type: 'object',
      properties: {
        items: { type: 'array', items: { anyOf: [ref('TestRunItemSummary'), ref('TestRunItemRecord')] } },
        next_cursor: { type: 'string' },
      },
      required: ['items'],
    },
  },
  [`GET ${ROUTES.testRunItem}`]: {
    ...{ tag: 'Test runs', summary: 'One item with its payloads.', answer: ref('TestRunItemRecord') },
  },
  [`POST ${ROUTES.acceptTestRunItem}`]: {
    conflict: 'The item has no new outcome that can be accepted, or it is not stored yet.',
    ...{ tag: 'Test runs', summary: 'Accepts the new outcome of an item: later runs expect it.' },
    ...{ body: ref('AcceptItemRequest'), isBodyOptional: true, answer: ref('TestRunItemRecord') },
  },
  [`DELETE ${ROUTES.acceptTestRunItem}`]: { tag: 'Test runs', summary: 'Takes an acceptance back.' },
  [`POST ${ROUTES.testRunHeartbeat}`]: {
    ...{ tag: 'Test runs', summary: 'Tells that a run goes on.', answer: ref('TestRunHeartbeatAnswer') },
  },
  [`POST ${ROUTES.resumeTestRun}`]: {
    conflict: 'The run is finished.',
    ...{ tag: 'Test runs', summary: 'Resumes an interrupted run.', answer: ref('TestRunRecord') },
  },
  [`POST ${ROUTES.finishTestRun}`]: {
    ...{ tag: 'Test runs', summary: 'Ends a run.' },
    ...{ body: ref('FinishTestRunRequest'), isBodyOptional: true, answer: ref('TestRunRecord') },
  },
  [`POST ${ROUTES.datasets}`]: {
    conflict: 'There is a dataset of that name.',
    ...{ tag: 'Datasets', summary: 'Makes an empty dataset.', body: ref('CreateDatasetRequest') },
    answer: ref('DatasetDetail'),
  },
  [`GET ${ROUTES.datasets}`]: {
    ...{ tag: 'Datasets', summary: 'Lists datasets.', answer: page('DatasetSummary') },
  },
  [`GET ${ROUTES.dataset}`]: {
    ...{ tag: 'Datasets', summary: 'A dataset with its versions.', answer: ref('DatasetDetail') },
  },
  [`DELETE ${ROUTES.dataset}`]: { tag: 'Datasets', summary: 'Removes a dataset with all its copies.' },
  [`POST ${ROUTES.datasetVersions}`]: {
    ...{ tag: 'Datasets', summary: 'Makes the next version of a dataset.' },
    ...{ body: ref('AddDatasetVersionRequest'), answer: ref('AddDatasetVersionAnswer') },
  },
  [`GET ${ROUTES.datasetItems}`]: {
    ...{ tag: 'Datasets', summary: 'Lists the items of a version.', answer: page('DatasetItem') },
  },
  [`GET ${ROUTES.listIndexes}`]: {
    ...{ tag: 'Indexes', summary: 'Lists the indexed services.', answer: envelope('ListIndexesData') },
  },
  [`POST ${ROUTES.getContext}`]: {
    ...{ tag: 'Indexes', summary: 'Finds passages of one index, or of several.' },
    ...{ body: ref('GetContextRequest'), answer: envelope('GetContextData') },
  },
  [`GET ${ROUTES.indexes}`]: {
    ...{ tag: 'Indexes', summary: 'Lists indexes with their sizes.', answer: list('IndexDetail') },
  },
  [`POST ${ROUTES.indexes}`]: {
    ...{ tag: 'Indexes', summary: 'Makes an empty index.', body: ref('CreateIndexRequest') },
    answer: ref('IndexDetail'),
  },
  [`DELETE ${ROUTES.index}`]: { tag: 'Indexes', summary: 'Removes an index with its documents.' },
  [`GET ${ROUTES.indexDocuments}`]: {
    ...{ tag: 'Indexes', summary: 'Lists the documents of an index.', answer: ref('ListDocumentsAnswer') },
  },
  [`GET ${ROUTES.indexRemote}`]: {
    ...{ tag: 'Indexes', summary: 'The address that an index is of.', answer: ref('IndexRemote') },
  },
  [`POST ${ROUTES.indexRemote}`]: {
    ...{ tag: 'Indexes', summary: 'Says which address an index is of.' },
    ...{ body: ref('IndexRemote'), answer: ref('IndexDetail') },
  },
  [`POST ${ROUTES.indexDocuments}`]: {
    ...{ tag: 'Indexes', summary: 'Adds documents, or puts them in the place of those of the same source.' },
    ...{ body: ref('AddDocumentsRequest'), answer: ref('AddDocumentsAnswer') },
  },
  [`POST ${ROUTES.deleteDocuments}`]: {
    ...{ tag: 'Indexes', summary: 'Removes documents by their sources.' },
    ...{ body: ref('DeleteDocumentsRequest'), answer: ref('DeleteDocumentsAnswer') },
  },
  [`GET ${ROUTES.functions}`]: {
    ...{ tag: 'Functions', summary: 'Lists native functions.', answer: list('FunctionSummary') },
  },
  [`GET ${ROUTES.functionVersions}`]: {
    ...{ tag: 'Functions', summary: 'Lists the versions of a function.' },
    answer: list('FunctionVersionSummary'),
  },
  [`POST ${ROUTES.functionVersions}`]: {
    ...{ tag: 'Functions', summary: 'Adds a version.', body: ref('PushFunctionRequest') },
    answer: ref('FunctionVersionRecord'),
  },
  [`GET ${ROUTES.functionVersion}`]: {
    ...{ tag: 'Functions', summary: 'A version with its source; 304 to one who has it.' },
    answer: ref('FunctionVersionRecord'),
  },
  [`POST ${ROUTES.activateFunction}`]: {
    ...{
      tag: 'Functions',
      summary: 'Chooses the version that calls run.',
      body: ref('ActivateFunctionRequest'),
    },
    answer: ref('FunctionVersionRecord'),
  },
  [`POST ${ROUTES.deletions}`]: {
    ...{ tag: 'Data', summary: 'Begins to delete traces: by id, session, key, age.' },
    ...{ body: ref('CreateDeletionRequest'), answer: ref('DeletionRecord') },
  },
  [`POST ${ROUTES.deletionPreview}`]: {
    ...{ tag: 'Data', summary: 'Tells how much a deletion would take away.' },
    ...{ body: ref('CreateDeletionRequest'), answer: ref('DeletionPreview') },
  },
  [`GET ${ROUTES.deletions}`]: {
    ...{ tag: 'Data', summary: 'Lists deletions, the newest first.', answer: page('DeletionRecord') },
  },
  [`GET ${ROUTES.retention}`]: {
    ...{ tag: 'Data', summary: 'How long traces are kept.', answer: ref('RetentionPolicy') },
  },
  [`POST ${ROUTES.retention}`]: {
    ...{ tag: 'Data', summary: 'Sets, or takes away, how long traces of the account or of a key are kept.' },
    ...{ body: ref('SetRetentionRequest'), answer: ref('RetentionPolicy') },
  },
  [`POST ${ROUTES.retentionPreview}`]: {
    ...{ tag: 'Data', summary: 'Tells how much a rule would delete now, of how much.' },
    ...{ body: ref('PreviewRetentionRequest'), answer: ref('RetentionPreview') },
  },
  [`GET ${ROUTES.deletion}`]: {
    ...{ tag: 'Data', summary: 'A deletion, and how far it is.', answer: ref('DeletionRecord') },
  },
  [`GET ${ROUTES.account}`]: {
    ...{ tag: 'Access', summary: 'The account, and what the key may do.', answer: ref('CallerDetail') },
  },
  [`DELETE ${ROUTES.account}`]: { tag: 'Access', summary: 'Removes the account and all that it owns.' },
  [`GET ${ROUTES.apiKeys}`]: {
    ...{
      tag: 'Access',
      summary: 'Lists API keys, without the keys themselves.',
      answer: list('ApiKeySummary'),
    },
  },
  [`POST ${ROUTES.accounts}`]: {
    ...{
      tag: 'Access',
      summary: 'Creates an account. Needs the operator token, without which there is no such route.',
    },
    ...{ body: ref('CreateAccountRequest'), answer: ref('CreatedAccount') },
  },
  [`POST ${ROUTES.apiKeys}`]: {
    ...{
      tag: 'Access',
      summary: 'Makes a key, shown in this answer alone.',
      body: ref('CreateApiKeyRequest'),
    },
    answer: ref('CreatedApiKey'),
  },
  [`POST ${ROUTES.rotateApiKey}`]: {
    conflict: 'Another key has taken its place already.',
    ...{ tag: 'Access', summary: 'Makes a key in the place of another.' },
    ...{ body: ref('RotateApiKeyRequest'), isBodyOptional: true, answer: ref('RotatedApiKey') },
  },
  [`DELETE ${ROUTES.apiKey}`]: { tag: 'Access', summary: 'Revokes a key, at once and for good.' },
  [`POST ${ROUTES.browserSession}`]: {
    ...{
      tag: 'Access',
      summary: 'Signs a browser in by a key, or by the code of a member; the answer sets its cookie.',
    },
    body: { anyOf: [object({ api_key: { type: 'string' } }), object({ sign_in_code: { type: 'string' } })] },
  },
  [`GET ${ROUTES.browserSession}`]: {
    ...{ tag: 'Access', summary: 'The account, and what this browser may do.', answer: ref('CallerDetail') },
  },
  [`DELETE ${ROUTES.browserSession}`]: { tag: 'Access', summary: 'Signs this browser out.' },
  [`GET ${ROUTES.browserSessions}`]: {
    ...{
      tag: 'Access',
      summary: 'Lists browsers that are signed in.',
      answer: list('BrowserSessionSummary'),
    },
  },
  [`DELETE ${ROUTES.browserSessions}`]: {
    ...{ tag: 'Access', summary: 'Signs out everywhere.', answer: ref('EndBrowserSessionsAnswer') },
  },
  [`DELETE ${ROUTES.otherBrowserSession}`]: { tag: 'Access', summary: 'Signs one browser out.' },
  [`GET ${ROUTES.members}`]: {
    ...{ tag: 'Access', summary: 'Lists members, the invited ones too.', answer: list('MemberSummary') },
  },
  [`POST ${ROUTES.members}`]: {
    conflict: 'A member has that name, or there are too many.',
    ...{ tag: 'Access', summary: 'Invites a member; the link is shown in this answer alone.' },
    ...{ body: ref('InviteMemberRequest'), answer: ref('MemberLink') },
  },
  [`POST ${ROUTES.memberRole}`]: {
    conflict: 'It is the last admin.',
    ...{ tag: 'Access', summary: 'Changes what a member may do, at once.' },
    ...{ body: ref('ChangeRoleRequest'), answer: ref('MemberSummary') },
  },
  [`POST ${ROUTES.memberLink}`]: {
    ...{ tag: 'Access', summary: 'Makes a member another link, in the place of the one before.' },
    ...{ body: ref('NewMemberLinkRequest'), isBodyOptional: true, answer: ref('MemberLink') },
  },
  [`DELETE ${ROUTES.member}`]: {
    conflict: 'It is the last admin.',
    ...{ tag: 'Access', summary: 'Removes a member, who is signed out everywhere at once.' },
  },
  [`POST ${ROUTES.join}`]: {
    ...{ tag: 'Access', summary: 'Uses the link of a member up; the answer sets the cookie of the browser.' },
    ...{ body: ref('JoinRequest'), answer: ref('JoinAnswer') },
  },
  [`GET ${ROUTES.auditLog}`]: {
    ...{ tag: 'Access', summary: 'Lists who did what, the newest first.', answer: page('AuditEntry') },
  },
  [`GET ${ROUTES.live}`]: { tag: 'Service', summary: 'The process answers.', answer: health },
  [`GET ${ROUTES.ready}`]: { tag: 'Service', summary: 'The storage answers too.', answer: health },
  [`GET ${ROUTES.openApi}`]: { tag: 'Service', summary: 'This description.', answer: { type: 'object' } },
};
