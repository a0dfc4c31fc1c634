import { SpanStore } from '../ports/span-store.js';

type ForwardedMethod =
  | 'findFirstSpans'
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

/** Methods of the port as functions of a connection. */
export type ReadsOf<Connection> = {
  [Method in ForwardedMethod]: (
    connection: Connection,
    ...call: Parameters<SpanStore[Method]>
  ) => ReturnType<SpanStore[Method]>;
};

/** A span store whose reads are functions of what it reads with, and whose words are stored with their spans. */
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

  findFirstSpans(...call: Parameters<SpanStore['findFirstSpans']>): ReturnType<SpanStore['findFirstSpans']> {
    return this.reads.findFirstSpans(this.reader, ...call);
  }

  findTrace(...call: Parameters<SpanStore['findTrace']>): ReturnType<SpanStore['findTrace']> {
    return this.reads.findTrace(this.reader, ...call);
  }

  readTraces(...call: Parameters<SpanStore['readTraces']>): ReturnType<SpanStore['readTraces']> {
    return this.reads.readTraces(this.reader, ...call);
  }

  readFacts(...call: Parameters<SpanStore['readFacts']>): ReturnType<SpanStore['readFacts']> {
    return this.reads.readFacts(this.reader, ...call);
  }

  listNodes(...call: Parameters<SpanStore['listNodes']>): ReturnType<SpanStore['listNodes']> {
    return this.reads.listNodes(this.reader, ...call);
  }

  listClassedCalls(
    ...call: Parameters<SpanStore['listClassedCalls']>
  ): ReturnType<SpanStore['listClassedCalls']> {
    return this.reads.listClassedCalls(this.reader, ...call);
  }

  matchCalls(...call: Parameters<SpanStore['matchCalls']>): ReturnType<SpanStore['matchCalls']> {
    return this.reads.matchCalls(this.reader, ...call);
  }

  readSpans(...call: Parameters<SpanStore['readSpans']>): ReturnType<SpanStore['readSpans']> {
    return this.reads.readSpans(this.reader, ...call);
  }

  listCallTraces(...call: Parameters<SpanStore['listCallTraces']>): ReturnType<SpanStore['listCallTraces']> {
    return this.reads.listCallTraces(this.reader, ...call);
  }

  countCallTraces(
    ...call: Parameters<SpanStore['countCallTraces']>
  ): ReturnType<SpanStore['countCallTraces']> {
    return this.reads.countCallTraces(this.reader, ...call);
  }

  listTraceFunctionKeys(
    ...call: Parameters<SpanStore['listTraceFunctionKeys']>
  ): ReturnType<SpanStore['listTraceFunctionKeys']> {
    return this.reads.listTraceFunctionKeys(this.reader, ...call);
  }

  listFacetValues(
    ...call: Parameters<SpanStore['listFacetValues']>
  ): ReturnType<SpanStore['listFacetValues']> {
    return this.reads.listFacetValues(this.reader, ...call);
  }

  readRunCandidate(
    ...call: Parameters<SpanStore['readRunCandidate']>
  ): ReturnType<SpanStore['readRunCandidate']> {
    return this.reads.readRunCandidate(this.reader, ...call);
  }
}
