import type { TraceFact } from '@dacapo/protocol';
import { StorageError } from '../errors.js';
import type { TracePart } from '../export/trace-lines.js';
import type { SpanStore } from '../storage/ports/span-store.js';
import type { StoredSpan } from '../storage/rules/span-usage.js';

interface ReadParts {
  /** In the order in which they started. */
  spans: StoredSpan[];
  /** By the id of the trace. */
  facts: Map<string, TraceFact[]>;
}

/** The spans of parts of traces, and what was said of these traces. @throws StorageError when a span is not there */
export async function readParts(
  store: SpanStore,
  accountId: string,
  parts: readonly TracePart[],
): Promise<ReadParts> {
  const refs = parts.flatMap(({ nodes }) => nodes);
  const found = await store.readSpans(accountId, refs);
  const byName = new Map(found.map((span) => [`${span.trace_id}/${span.id}`, span]));
  const spans = refs.map(({ trace_id, span_id }) => {
    const span = byName.get(`${trace_id}/${span_id}`);
    if (span === undefined) {
      const cure = 'Check that no collector uses it, and migrate again.';
      throw new StorageError(
        `span ${span_id} of trace ${trace_id} disappeared while it was read`,
        undefined,
        cure,
      );
    }
    return span;
  });
  const ids = parts.map(({ listed }) => listed.trace.id);
  const facts = await store.readFacts(accountId, ids);
  return { spans, facts: new Map(facts.map(({ id, facts: said }) => [id, said])) };
}
