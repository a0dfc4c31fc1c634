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

/** One item of a run: replayed once, or several times. */
export interface PlannedItem {
  /** From 0, in the order of the selection or the list. */
  readonly itemNo: number;
  /** What reports call it, the same in every run. Absent for a recorded call, and for an item of a list without a name. */
  readonly name?: string;
  /** Of a stored call; absent once that was deleted. */
  readonly traceId?: string;
  /** What was recorded of it; absent where nothing was, or it cannot be read any more. */
  readonly call?: RecordedCallTree;
  /** The arguments as they are stored; absent for an item of a list, and where the trace holds no such call. */
  readonly stored?: StoredInput;
  /** What was called inside; `undefined` where nothing was recorded. The source is asked once. */
  readonly descendants: () => Promise<readonly RecordedDescendant[]> | undefined;
  /** Where the item comes from: its recorded call and the facts of its trace; for an item of a list, what the list says. */
  readonly origin: () => Promise<ReplaySource>;
  /** The arguments, made anew each time, for a function may change them; absent when there are none. */
  readonly decodeInput?: (codecs: readonly Codec[]) => DecodedInput;
  /** What it should give; absent: that is not said. */
  readonly expected?: ExpectedOutput;
  /** How it ended by another source than its recording. */
  readonly baseline?: BaselineOutcome;
  /** What a run stored of it, in the order of repetitions: it is judged again and not played. */
  readonly outcomes?: readonly TestRunItemRecord[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Arguments as they are stored, and who holds them. */
export interface StoredInput extends Pick<RecordedCall, 'input' | 'meta'> {
  /** Of the span or of the dataset's item. */
  readonly id: string;
}

interface ExpectedOutput {
  readonly value: (codecs: readonly Codec[]) => unknown;
  /** Absent for an item of a list. */
  readonly stored?: Pick<RecordedCall, 'output' | 'meta'>;
}

interface DecodedInput {
  readonly args: unknown[];
  /** Objects of classes without a codec among them: they are plain data. */
  readonly instances: ReadonlyMap<object, RecordedInstance>;
}

/** What a source knows of a stored call beside what it selected. */
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
    // An example that outlived its call comes from nowhere else.
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

/** What `structuredClone` gives for JSON, in a tenth of its time. */
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

/** An item of a list that the caller brings. */
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

/** What is known of an item before it is replayed. @param repetition absent where items are not repeated */
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

/** A copy of plain data; anything else as it is. */
function copyPlainData(args: unknown[]): unknown[] {
  const isData = (object: object): boolean =>
    Array.isArray(object) || (isRecord(object) && Object.getPrototypeOf(object) === Object.prototype);
  const isPlain = Array.from(reachableObjects([args])).every(
    (object) => isData(object) && Object.values(object).every((value) => typeof value !== 'function'),
  );
  return isPlain ? structuredClone(args) : [...args];
}
