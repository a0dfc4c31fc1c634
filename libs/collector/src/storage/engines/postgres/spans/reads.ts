// Reads of the port, as functions of a reader.
export { readRunCandidate } from '../../../spans/read-run-candidate.js';
export { listFacetValues } from './list-facet-values.js';
export { countCallTraces, listCallTraces } from './list-traces.js';
export { findMatchingSpans } from './matching-spans.js';
export { listClassedCalls, listNodes, listTraceFunctionKeys, matchCalls, readSpans } from './read-spans.js';
export { findTrace, readFacts, readTraces } from './read-traces.js';
