/** Bounds that both sides keep. A collector may allow more; a tracer never sends more. */
export const LIMITS = {
  /** Bytes of one line of an ingest body, as UTF-8. */
  lineBytes: 8 * 1024 * 1024,
  /** Bytes of one ingest body after decompression. */
  bodyBytes: 20 * 1024 * 1024,
  /** Lines of one ingest body. */
  bodyLines: 10_000,
  /** Nesting of arrays and objects in one line. */
  jsonDepth: 512,
  /** Members of all objects in one line: parsing time grows with the number of different names, not with bytes. */
  lineMembers: 100_000,
  /** Members of all objects in one JSON body. */
  bodyMembers: 1_000_000,
  /** Names in the metadata, and in the contexts, that one record tells of its trace. */
  traceAttributes: 1000,
  /** Names in the metadata and contexts that the records of one ingest body tell of their traces. */
  bodyAttributes: 20_000,
  /** Tags of a trace. */
  tags: 50,
  /** Characters of a tag. */
  tagLength: 200,
  /** Characters of a trace function key, a name, a session id, a user id, an environment or a release. */
  labelLength: 512,
  /** Divergences that are listed of one replayed call. */
  divergences: 100,
  /** Keys that are kept of a divergence's path. */
  divergencePath: 100,
  /** Items in one report of a test run. */
  reportedItems: 1000,
  /** Milliseconds between two signs of life of a reporter. */
  heartbeatMs: 10_000,
  /** Milliseconds without a sign of life after which a test run counts as interrupted. */
  silentRunMs: 60_000,
  /** Calls that a test run selects. */
  selectedCalls: 100_000,
  /** Links to other traces that come with a trace. */
  links: 100,
  /** Characters of a score's explanation. */
  explanationLength: 16_384,
  /** Characters of a score's metadata, as JSON. */
  scoreMetadataLength: 65_536,
  /** Scores in one request, and scores that come with a trace. */
  scores: 1000,
  /** Usages whose cost one request asks for. */
  pricedUsages: 1000,
  /** Items of a test run that is compared with another, repetitions counted. */
  comparedItems: 20_000,
  /** Bytes of a test run's summary, as JSON. */
  summaryBytes: 256 * 1024,
  /** How often one item is played. */
  repetitions: 1000,
  /** Documents that one request adds to an index, or deletes from it. */
  documentsAtOnce: 10_000,
  /** Names of metadata that calls are searched by. */
  metadataConditions: 100,
  /** Items that one request adds to a dataset. */
  addedItems: 100_000,
  /** Versions that come with a dataset. */
  listedVersions: 1000,
  /** Spans of a trace in one answer. */
  spansOfTrace: 5000,
  /** Calls that a search for a text looks through. */
  scannedCalls: 10_000,
  /** Conditions on metadata that a list takes, and members that the path of one names. */
  metadataFilters: 8,
  metadataPath: 6,
  /** Words and phrases that a search for a text takes. */
  textTerms: 20,
  /** Characters of each field of a span, as JSON, that a search for a text looks at. */
  searchedCharacters: 16_384,
  /** Indexes that one query asks. */
  indexesAtOnce: 20,
  /** Pages of an index that are fetched from an address. */
  remotePages: 20_000,
  /** Keys of an account that have a rule of how long their traces are kept. */
  retentionRules: 200,
  /** Traces that one deletion names. */
  deletedTraces: 1000,
  /** Characters of an address or a path that a document comes from. */
  sourceLength: 2048,
  /** Members of an account, the invited ones too. */
  members: 1000,
  /** Characters of a member's name. */
  memberNameLength: 100,
  /** Tokens that a query may ask for. */
  contextTokens: 100_000,
} as const;
