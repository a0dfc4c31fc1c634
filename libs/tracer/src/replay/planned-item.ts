import {
  type BaselineOutcome,
  type CaptureMeta,
  decode,
  decodeInstances,
  type JsonValue,
  readValue,
  type RecordedCall,
  type RecordedCallTree,
  type RecordedDescendant,
  type RecordedInstance,
  type SelectedCall,
  type TestRunItemRecord,
  type TraceDetail,
} from '@dacapo/protocol';
import { realEpochMs } from '../context/clock.js';
import type { Codec } from '../options/capture-options.js';
import type { EvaluationItem } from '../options/evaluate-options.js';
import { isRecord } from '../options/option.js';
import { reachableObjects } from './reachable-objects.js';
import type { ReplayItem, ReplaySource } from '../replay-types.js';

/** One item of a run, replayed once or several times. */
export interface PlannedItem {
  /** From 0, in the order of the selection or the list. */
  readonly itemNo: number;
  /** Its name in reports, the same in every run. Absent for recorded calls, and for list items without a name. */
  readonly name?: string;
  /** The trace of a stored call; absent after its deletion. */
  readonly traceId?: string;
  /** Its recording; absent without one, or if it cannot be read any longer. */
  readonly call?: RecordedCallTree;
  /** The stored arguments; absent for list items, and if the trace has no such call. */
  readonly stored?: StoredInput;
  /** The recorded inner calls; `undefined` without a recording. Fetched once. */
  readonly descendants: () => Promise<readonly RecordedDescendant[]> | undefined;
  /** The origin of the item: its recorded call and trace facts, or the fields of a list item. */
  readonly origin: () => Promise<ReplaySource>;
  /** Creates the arguments anew each time, because a function may change them; absent without arguments. */
  readonly decodeInput?: (codecs: readonly Codec[]) => DecodedInput;
  /** The expected value, if any. */
  readonly expected?: ExpectedOutput;
  /** An outcome from another source than its recording. */
  readonly baseline?: BaselineOutcome;
  /** Its stored outcomes in the order of repetitions: they are judged again, not replayed. */
  readonly outcomes?: readonly TestRunItemRecord[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Stored arguments and their owner. */
export interface StoredInput extends Pick<RecordedCall, 'input' | 'meta'> {
  /** Notes of the span or dataset item. */
  readonly id: string;
}

interface ExpectedOutput {
  readonly value: (codecs: readonly Codec[]) => unknown;
  /** Absent for an item of a list. */
  readonly stored?: Pick<RecordedCall, 'output' | 'meta'>;
}

interface DecodedInput {
  readonly args: unknown[];
  /** Objects of classes without a codec; they are plain data. */
  readonly instances: ReadonlyMap<object, RecordedInstance>;
}

/** What a source knows about a stored call in addition to the selection. */
export interface CallDetails {
  descendants(call: RecordedCallTree): Promise<readonly RecordedDescendant[]>;
  trace(call: RecordedCallTree): Promise<TraceFacts>;
}

type TraceFacts = Partial<Pick<TraceDetail, 'session_id' | 'metadata' | 'contexts'>>;

/** A stored call, or an item of a dataset. */
export function plannedCall(
  { item_no: itemNo, trace_id, call, dataset_item: example, baseline }: SelectedCall,
  details: CallDetails,
): PlannedItem {
  const metadata = example?.metadata ?? call?.trace?.metadata ?? {};
  let requested: Promise<readonly RecordedDescendant[]> | undefined;
  const stored = example ?? (call && { ...call, id: call.span_id });
  const name = example ? `item ${example.id}` : call ? undefined : trace_id && `trace ${trace_id}`;
  return {
    itemNo,
    ...(name !== undefined && { name }),
    // An example whose call was deleted has no other origin.
    ...(trace_id !== undefined && (call ?? !example) && { traceId: trace_id }),
    ...(call && { call }),
    ...(stored && { stored, decodeInput: (codecs) => decodeStored(stored, codecs) }),
    ...(example?.expected !== undefined && {
      expected: toExpectedOutput(example.expected, example.expected_meta),
    }),
    ...(baseline && { baseline }),
    descendants: () => (requested ??= call && details.descendants(call)),
    origin: async () =>
      call === undefined
        ? unrecordedOrigin(metadata)
        : toSource(call, call.trace ?? (await details.trace(call))),
    metadata,
  };
}

function toSource(call: RecordedCall, { session_id, metadata, contexts }: TraceFacts): ReplaySource {
  const sessionId = session_id ?? call.session_id;
  return {
    traceId: call.trace_id,
    spanId: call.span_id,
    startedAt: call.started_at,
    ...(sessionId !== undefined && { sessionId }),
    metadata: metadata ?? {},
    contexts: contexts ?? {},
  };
}

function unrecordedOrigin(metadata: PlannedItem['metadata']): ReplaySource {
  return {
    traceId: '',
    spanId: '',
    startedAt: new Date(realEpochMs()).toISOString(),
    metadata,
    contexts: {},
  };
}

function decodeStored({ input = [], meta }: StoredInput, codecs: readonly Codec[]): DecodedInput {
  const node = readValue({ json: copyJson(input), meta: meta?.input });
  const { value, instances } = decodeInstances(node, codecs);
  return { args: value as unknown[], instances };
}

/** Like `structuredClone` for JSON, in a tenth of its time. */
function copyJson(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(copyJson);
  const copy = { ...json };
  for (const [key, value] of Object.entries(copy)) if (typeof value === 'object') copy[key] = copyJson(value);
  return copy;
}

function toExpectedOutput(output: JsonValue, meta: CaptureMeta | undefined): ExpectedOutput {
  return {
    value: (codecs) => decode(readValue({ json: output, meta: meta?.output }), codecs),
    stored: { output, ...(meta && { meta }) },
  };
}

/** An item of the caller's list. */
export function plannedListItem(item: EvaluationItem, itemNo: number): PlannedItem {
  const args: unknown[] = item.args ?? [item.input];
  const { name, metadata = {} } = item;
  return {
    itemNo,
    ...(name !== undefined && { name }),
    descendants: () => undefined,
    origin: () => Promise.resolve(unrecordedOrigin(metadata)),
    decodeInput: () => ({ args: copyPlainData(args), instances: new Map() }),
    ...(item.expected !== undefined && { expected: { value: () => item.expected } }),
    metadata,
  };
}

/** The facts of an item before its replay. @param repetition absent without repetitions */
export function emptyItem(
  { itemNo, traceId, call }: PlannedItem,
  repetition: number | undefined,
): ReplayItem {
  return {
    itemNo,
    ...(repetition !== undefined && { repetition }),
    input: [],
    verdict: 'error',
    divergences: [],
    scores: [],
    ...(traceId !== undefined && { sourceTraceId: traceId }),
    ...(call && { sourceSpanId: call.span_id, sourceType: call.type }),
    ...(call?.session_id !== undefined && { sessionId: call.session_id }),
  };
}

/** Copies plain data; returns other values unchanged. */
function copyPlainData(args: unknown[]): unknown[] {
  const isData = (object: object): boolean =>
    Array.isArray(object) || (isRecord(object) && Object.getPrototypeOf(object) === Object.prototype);
  const isPlain = Array.from(reachableObjects([args])).every(
    (object) => isData(object) && Object.values(object).every((value) => typeof value !== 'function'),
  );
  return isPlain ? structuredClone(args) : [...args];
}
