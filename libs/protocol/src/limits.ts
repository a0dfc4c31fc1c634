/** Limits that both sides apply. A collector may allow more; a tracer never sends more. */
export const LIMITS = {
  /** UTF-8 bytes in one line of an ingest body. */
  lineBytes: 8 * 1024 * 1024,
  /** Bytes of one image, sound or file: as base64 it fits into a line. */
  mediaBytes: 5 * 1024 * 1024,
  /** Bytes of one ingest body after decompression. */
  bodyBytes: 20 * 1024 * 1024,
  /** Lines of one ingest body. */
  bodyLines: 10_000,
  /** Nesting depth of arrays and objects in one line. */
  jsonDepth: 512,
  /** Members of all objects in one line: parsing time grows with the number of distinct names, not with bytes. */
  lineMembers: 100_000,
  /** Members of all objects in one JSON body. */
  bodyMembers: 1_000_000,
  /** Names in the trace metadata of one record, and in its trace contexts. */
  traceAttributes: 1000,
  /** Names in the trace metadata and contexts of all records in one ingest body. */
  bodyAttributes: 20_000,
  /** Tags of a trace. */
  tags: 50,
  /** Characters of a tag. */
  tagLength: 200,
  /** Characters of a trace function key, a name, a session id, a user id, an environment or a release. */
  labelLength: 512,
  /** Divergences listed for one replayed call. */
  divergences: 100,
  /** Keys kept in a divergence's path. */
  divergencePath: 100,
  /** Activations of a native function that are listed. */
  activations: 200,
  /** Items in one report of a test run. */
  reportedItems: 1000,
  /** Milliseconds between two heartbeats of a test run. */
  heartbeatMs: 10_000,
  /** Milliseconds without a heartbeat after which a test run counts as interrupted. */
  silentRunMs: 60_000,
  /** Calls that a test run selects. */
  selectedCalls: 100_000,
  /** Share links of an account that have not expired. */
  shareLinks: 1000,
  /** Links to other traces that the service returns with a trace. */
  links: 100,
  /** Characters of a score's explanation. */
  explanationLength: 16_384,
  /** Characters of a score's metadata, as JSON. */
  scoreMetadataLength: 65_536,
  /** Scores in one request, and scores that the service returns with a trace. */
  scores: 1000,
  /** Usages that one request prices. */
  pricedUsages: 1000,
  /** Items of a test run that is compared with another; each repetition counts. */
  comparedItems: 20_000,
  /** Runs that are compared at once. */
  comparedRuns: 20,
  /** Items that one request judges. */
  judgedItems: 10_000,
  /** Paths that a decision ignores, and characters of each. */
  ignoredPaths: 100,
  ignoredPathLength: 1000,
  /** Bytes of a test run's summary, as JSON. */
  summaryBytes: 256 * 1024,
  /** Repetitions of one item. */
  repetitions: 1000,
  /** Documents that one request adds to an index, or deletes from it. */
  documentsAtOnce: 10_000,
  /** Metadata names that one call search filters by. */
  metadataConditions: 100,
  /** Items that one request adds to a dataset. */
  addedItems: 100_000,
  /** Versions that the service returns with a dataset. */
  listedVersions: 1000,
  /** Spans of a trace in one response. */
  spansOfTrace: 5000,
  /** Calls that a text search scans. */
  scannedCalls: 10_000,
  /** Metadata conditions of one list, and members in the path of each. */
  metadataFilters: 8,
  metadataPath: 6,
  /** Words and phrases of a text search. */
  textTerms: 20,
  /** Characters of each span field, as JSON, that a text search reads. */
  searchedCharacters: 16_384,
  /** Indexes that one query searches. */
  indexesAtOnce: 20,
  /** Pages of an index that are fetched from an address. */
  remotePages: 20_000,
  /** Keys of an account that have a retention rule. */
  retentionRules: 200,
  /** Trace ids in one deletion. */
  deletedTraces: 1000,
  /** Characters of the address or path of a document. */
  sourceLength: 2048,
  /** Members of an account, including invited ones. */
  members: 1000,
  /** Characters of a member's name. */
  memberNameLength: 100,
  /** Tokens that a query may request. */
  contextTokens: 100_000,
} as const;
