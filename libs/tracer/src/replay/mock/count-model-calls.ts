import { countedSpans, countUsage, findCallsWithoutUsage, type UsageSpan } from '@dacapo/evaluation';
import type { RecordedCall } from '@dacapo/protocol';
import type { CountedCalls, ModelUse } from '../call-costs.js';
import { isOutOfSight } from './find-divergences.js';
import type { MadeCall } from './made-call.js';
import type { RecordedNode, RecordedTree } from './recorded-tree.js';

type ModelSpan = UsageSpan & { readonly hasFailed: boolean };

/**
 * The model calls of the candidate and the recording. The usage of an answered call today is unknown. Recorded calls
 * that a replay cannot observe are skipped, because they would be missing on only one side.
 *
 * @param replayed absent: the recorded calls are unknown
 */
export function countModelCalls(
  made: readonly MadeCall[],
  recorded: RecordedTree,
  replayed: RecordedCall | undefined,
): CountedCalls {
  const answered = new Set(made.filter(({ isMocked }) => isMocked).map(({ source }) => source));
  // Calls inside an answered call did not run either.
  const isAnswered = (node: RecordedNode | undefined): boolean =>
    node !== undefined && (answered.has(node) || isAnswered(node.parent));
  const nodes = recorded.nodes.filter(isAnswered);
  const isKnown = countUsage(nodes.flatMap(({ call }) => (call ? [recordedUse(call)] : []))) === undefined;
  return {
    now: isKnown
      ? toModelUse(made.map(({ parent, ...call }) => ({ ...call, parentId: parent?.spanId })))
      : undefined,
    original: replayed && toModelUse([replayed, ...seenCalls(recorded, replayed)].map(recordedUse)),
  };
}

function seenCalls({ nodes }: RecordedTree, replayed: RecordedCall): RecordedCall[] {
  return nodes.flatMap((node) =>
    node.call === undefined || isOutOfSight(node, replayed) ? [] : [node.call],
  );
}

function toModelUse(spans: readonly ModelSpan[]): ModelUse {
  return {
    reported: countedSpans(spans).map(({ usage = {} }) => usage),
    withoutUsage: findCallsWithoutUsage(spans).length,
  };
}

function recordedUse(call: RecordedCall & { readonly parent_id?: string }): ModelSpan {
  const { span_id: spanId, parent_id: parentId, type, usage, status } = call;
  return { spanId, parentId, type, usage, hasFailed: status === 'error' };
}
