import {
  decodeInstances,
  readValue,
  type RecordedCallTree,
  type RecordedDescendant,
  type RecordedInstance,
  type SelectedCall,
} from '@dacapo/protocol';
import type { Codec } from '../capture/codec.js';
import type { EvaluationItem } from '../options/evaluate-options.js';
import { isRecord } from '../options/option.js';
import type { ServiceClient } from '../service/service-client.js';
import { reachableObjects } from './reachable-objects.js';
import { recordedDescendants } from './recorded-descendants.js';

/** One thing that a run plays, once or several times. */
export interface PlannedItem {
  /** From 0, in the order of the selection or the list. */
  readonly itemNo: number;
  /** Absent for an item of a list. */
  readonly traceId?: string;
  /** What was recorded of it; absent for an item of a list, and where the trace holds no such call. */
  readonly call?: RecordedCallTree;
  /** What was called inside; `undefined` where nothing was recorded. The service is asked once. */
  readonly descendants: (service: ServiceClient) => Promise<readonly RecordedDescendant[]> | undefined;
  /** The arguments, made anew each time, for a function may change them; absent when there are none. */
  readonly decodeInput?: (codecs: readonly Codec[]) => DecodedInput;
  /** What it should give; absent: that is not said. */
  readonly expected?: { readonly value: unknown };
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface DecodedInput {
  readonly args: unknown[];
  /** Objects of classes without a codec among them: they are plain data. */
  readonly instances: ReadonlyMap<object, RecordedInstance>;
}

/** A stored call. */
export function plannedCall({ item_no, trace_id, call }: SelectedCall): PlannedItem {
  let asked: Promise<readonly RecordedDescendant[]> | undefined;
  return {
    itemNo: item_no,
    ...(trace_id !== undefined && { traceId: trace_id }),
    descendants: (service) => (asked ??= call && recordedDescendants(service, call)),
    metadata: call?.trace?.metadata ?? {},
    ...(call && {
      call,
      decodeInput: (codecs) => {
        const node = readValue({ json: structuredClone(call.input ?? []), meta: call.meta?.input });
        const { value, instances } = decodeInstances(node, codecs);
        return { args: value as unknown[], instances };
      },
    }),
  };
}

/** An item of a list that the caller brings. */
export function plannedListItem(item: EvaluationItem, itemNo: number): PlannedItem {
  const args: unknown[] = item.args ?? [item.input];
  return {
    itemNo,
    descendants: () => undefined,
    decodeInput: () => ({ args: copyOf(args), instances: new Map() }),
    ...(item.expected !== undefined && { expected: { value: item.expected } }),
    metadata: item.metadata ?? {},
  };
}

/** A copy of plain data; anything else as it is. */
function copyOf(args: unknown[]): unknown[] {
  const isData = (object: object): boolean =>
    Array.isArray(object) || (isRecord(object) && Object.getPrototypeOf(object) === Object.prototype);
  const isPlain = Array.from(reachableObjects([args])).every(
    (object) => isData(object) && Object.values(object).every((value) => typeof value !== 'function'),
  );
  return isPlain ? structuredClone(args) : [...args];
}
