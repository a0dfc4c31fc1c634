import { SpanStore } from '../ports/span-store.js';

type ForwardedMethod =
  | 'findMatchingSpans'
  | 'findTrace'
  | 'readTraces'
  | 'readFacts'
  | 'listNodes'
  | 'listClassedCalls'
  | 'matchCalls'
  | 'readSpans'
  | 'listCallTraces'
  | 'countCallTraces'
  | 'listTraceFunctionKeys'
  | 'listFacetValues'
  | 'readRunCandidate';

type Call<Method extends ForwardedMethod> = Parameters<SpanStore[Method]>;
type Answer<Method extends ForwardedMethod> = ReturnType<SpanStore[Method]>;

/** Methods of the port as functions of a connection. */
export type ReadsOf<Connection> = {
  [Method in ForwardedMethod]: (connection: Connection, ...call: Call<Method>) => Answer<Method>;
};

/** A span store that indexes texts together with their spans, and whose reads are functions of a connection. */
export abstract class ConnectedSpanStore<Connection> extends SpanStore {
  constructor(
    protected readonly reader: Connection,
    private readonly reads: ReadsOf<Connection>,
  ) {
    super();
  }

  textsWaitSince(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findMatchingSpans(...call: Call<'findMatchingSpans'>): Answer<'findMatchingSpans'> {
    return this.reads.findMatchingSpans(this.reader, ...call);
  }

  findTrace(...call: Call<'findTrace'>): Answer<'findTrace'> {
    return this.reads.findTrace(this.reader, ...call);
  }

  readTraces(...call: Call<'readTraces'>): Answer<'readTraces'> {
    return this.reads.readTraces(this.reader, ...call);
  }

  readFacts(...call: Call<'readFacts'>): Answer<'readFacts'> {
    return this.reads.readFacts(this.reader, ...call);
  }

  listNodes(...call: Call<'listNodes'>): Answer<'listNodes'> {
    return this.reads.listNodes(this.reader, ...call);
  }

  listClassedCalls(...call: Call<'listClassedCalls'>): Answer<'listClassedCalls'> {
    return this.reads.listClassedCalls(this.reader, ...call);
  }

  matchCalls(...call: Call<'matchCalls'>): Answer<'matchCalls'> {
    return this.reads.matchCalls(this.reader, ...call);
  }

  readSpans(...call: Call<'readSpans'>): Answer<'readSpans'> {
    return this.reads.readSpans(this.reader, ...call);
  }

  listCallTraces(...call: Call<'listCallTraces'>): Answer<'listCallTraces'> {
    return this.reads.listCallTraces(this.reader, ...call);
  }

  countCallTraces(...call: Call<'countCallTraces'>): Answer<'countCallTraces'> {
    return this.reads.countCallTraces(this.reader, ...call);
  }

  listTraceFunctionKeys(...call: Call<'listTraceFunctionKeys'>): Answer<'listTraceFunctionKeys'> {
    return this.reads.listTraceFunctionKeys(this.reader, ...call);
  }

  listFacetValues(...call: Call<'listFacetValues'>): Answer<'listFacetValues'> {
    return this.reads.listFacetValues(this.reader, ...call);
  }

  readRunCandidate(...call: Call<'readRunCandidate'>): Answer<'readRunCandidate'> {
    return this.reads.readRunCandidate(this.reader, ...call);
  }
}
