import type { Turns } from '../memory/turns.js';
import type { ListedTrace, SpanNode, SpanStore, TracePosition } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';

const TRACES_AT_ONCE = 50;
/** Spans without payloads. */
const NODES_AT_ONCE = 2_000;

export interface TraceGroup {
  readonly traces: readonly ListedTrace[];
  /** The spans of all these traces. */
  readonly nodes: readonly SpanNode[];
}

/** All traces that a filter finds, the newest first, in groups with few spans. */
export async function* listTraceGroups(
  store: SpanStore,
  accountId: string,
  { filter, after: first }: { filter: TraceFilter; after?: TracePosition },
  turns: Pick<Turns, 'next'>,
): AsyncGenerator<TraceGroup> {
  let after = first;
  do {
    await turns.next();
    const range = { limit: TRACES_AT_ONCE, ...(after && { after }) };
    const { traces, lookedUntil } = await store.listTraces(accountId, filter, range);
    for (const some of groupTraces(traces)) {
      const ids = some.map(({ trace }) => trace.id);
      yield { traces: some, nodes: await store.listNodes(accountId, ids) };
    }
    after = traces.length === TRACES_AT_ONCE ? traces.at(-1)?.position : lookedUntil;
  } while (after !== undefined);
}

/** Groups traces with few spans. */
function* groupTraces(traces: readonly ListedTrace[]): Generator<readonly ListedTrace[]> {
  let group: ListedTrace[] = [];
  let nodes = 0;
  for (const listed of traces) {
    nodes += listed.trace.span_count;
    if (group.length > 0 && nodes > NODES_AT_ONCE) {
      yield group;
      group = [];
      nodes = listed.trace.span_count;
    }
    group.push(listed);
  }
  if (group.length > 0) yield group;
}
