// Reads of the port, as functions of a connection.
export { countCallTraces, listCallTraces, listTraceFunctionKeys } from './list-call-traces.js';
export { listFacetValues } from './list-facet-values.js';
export { readRunCandidate } from './list-sessions.js';
export { findMatchingSpans, listClassedCalls, listNodes, matchCalls, readSpans } from './read-spans.js';
export { findTrace, readFacts, readTraces } from './read-traces.js';
