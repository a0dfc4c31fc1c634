import {
  type ItemDetails,
  type ItemOutline,
  type ReportItem,
  type ReportScore,
  showNode,
  type StoredOutcome,
} from '@dacapo/evaluation';
import {
  camelCased,
  type FieldMeta,
  isJsonObject,
  type ItemScore,
  type JsonValue,
  readValue,
  type TestRunItemReport,
  type TestRunItemSummary,
} from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import { sha256 } from '../hashing.js';
import type { Codec } from '../options/capture-options.js';
import type { PlannedItem } from './planned-item.js';
import type { ReplayItem } from '../replay-types.js';

/** An item for the reports. */
export interface ShownItem {
  readonly outline: ItemOutline;
  readonly known: Pick<ReportItem, 'divergences' | 'scores'>;
  /** Call it before the next replay: it holds the values. */
  readonly details: () => ItemDetails;
}

export interface ShownParts {
  /** Masks values that were recorded with other rules, and decides what may be shown. */
  readonly capturer: Capturer;
  readonly name: string | undefined;
  readonly diff: ReportItem['diff'];
  readonly baseline: StoredOutcome | undefined;
  readonly input: { readonly json: JsonValue; readonly meta: FieldMeta | undefined } | undefined;
}

const LONGEST_INPUT = 1_000;
const LONGEST_OUTPUT = 2_000;
const LONGEST_EXPLANATION = 1_000;
/** Maximum number of listed differences, and of listed divergences, per item. */
const MOST_LISTED = 20;

/** The report of an item from its record, with masked secrets. */
export function shownItem(record: TestRunItemReport, parts: ShownParts): ShownItem {
  const mask = (text: string): string => parts.capturer.maskText(text);
  const divergences = (record.divergences ?? [])
    .slice(0, MOST_LISTED)
    .map(({ kind, path }) => ({ kind, path: path.map(mask) }));
  const scores = toReportScores(record, mask);
  return {
    outline: toOutline(record, parts.name === undefined ? undefined : mask(parts.name)),
    known: { divergences, scores },
    details: () => ({ ...toDetails(record, parts, mask), divergences, ...(scores.length > 0 && { scores }) }),
  };
}

/** The report of an item that was just replayed. @param baseline its baseline */
export function toShownItem(
  planned: PlannedItem,
  { diff, originalDurationMs }: ReplayItem,
  report: TestRunItemReport,
  baseline: StoredOutcome | undefined,
  { capturer, name }: Pick<ShownParts, 'capturer' | 'name'>,
): ShownItem {
  const { stored } = planned;
  const input = stored
    ? { json: stored.input ?? [], meta: stored.meta?.input }
    : report.input && { json: report.input, meta: report.meta?.input };
  // Reports to the service omit the duration of the recorded call.
  const timed = {
    ...report,
    ...(originalDurationMs !== undefined && { original_duration_ms: originalDurationMs }),
  };
  return shownItem(timed, { capturer, diff, input, baseline, name });
}

/** The report of an item without values from the service. */
export function shownSummary(item: TestRunItemSummary): ShownItem {
  return {
    outline: toOutline(item, undefined),
    known: { divergences: [], scores: toReportScores(item, (text) => text) },
    details: () => ({ divergences: [] }),
  };
}

function toOutline(item: TestRunItemReport | TestRunItemSummary, name: string | undefined): ItemOutline {
  const { item_no, verdict = 'unknown', source_span_id, repetition, fixed, new_error, duration_ms } = item;
  return camelCased({ item_no, verdict, name, source_span_id, repetition, fixed, new_error, duration_ms });
}

function toDetails(
  record: TestRunItemReport,
  { capturer, diff, baseline, input }: ShownParts,
  mask: (text: string) => string,
): Omit<ItemDetails, 'divergences'> {
  const { options } = capturer;
  const { source_trace_id: sourceTraceId, new_trace_id: traceId } = record;
  const { original_duration_ms: originalDurationMs, error } = record;
  const ids = {
    ...(sourceTraceId !== undefined && { sourceTraceId }),
    ...(traceId !== undefined && { traceId }),
    // Others cannot be compared.
    ...(originalDurationMs !== undefined && record.timing === 'paired' && { originalDurationMs }),
    ...(error && {
      error: { name: mask(error.name), message: mask(error.message).slice(0, LONGEST_OUTPUT) },
    }),
  };
  if (options.metadataOnly) return ids;
  const show = (json: JsonValue, meta: FieldMeta | undefined, longest: number): string =>
    mask(showNode(readValue({ json, meta }), longest));
  const shownInput =
    input === undefined || !options.input
      ? undefined
      : show(unwrapSingle(input.json), input.meta, LONGEST_INPUT);
  const before = options.output ? baseline && formatOutcome(baseline, show, mask) : undefined;
  const { result, meta } = record;
  const after = formatOutcome(
    { ...(error && { error }), ...(result !== undefined && { output: result }), ...(meta && { meta }) },
    show,
    mask,
  );
  const side = (part: { type: string; text: string }): { type: string; text: string } => ({
    type: part.type,
    text: mask(part.text),
  });
  return {
    ...ids,
    ...(diff &&
      options.output && {
        diff: diff.slice(0, MOST_LISTED).map(({ path, kind, before: old, now }) => ({
          path: mask(path),
          kind,
          ...(old && { before: side(old) }),
          ...(now && { now: side(now) }),
        })),
      }),
    texts: {
      ...(shownInput !== undefined && { input: shownInput }),
      ...(before !== undefined && { baseline: before }),
      ...(after !== undefined && { candidate: after }),
    },
  };
}

/** The argument itself if there is only one. */
function unwrapSingle(json: JsonValue): JsonValue {
  return Array.isArray(json) && json.length === 1 ? (json[0] ?? null) : json;
}

function formatOutcome(
  { error, output, meta }: StoredOutcome,
  show: (json: JsonValue, meta: FieldMeta | undefined, longest: number) => string,
  mask: (text: string) => string,
): string | undefined {
  if (error !== undefined) return `${mask(error.name)}: ${mask(error.message)}`.slice(0, LONGEST_OUTPUT);
  return output === undefined ? undefined : show(output, meta?.output, LONGEST_OUTPUT);
}

function toReportScores(
  { scores = [], original_scores: before = [] }: Pick<TestRunItemReport, 'scores' | 'original_scores'>,
  mask: (text: string) => string,
): ReportScore[] {
  const text = (value: ItemScore['value']): ItemScore['value'] =>
    typeof value === 'string' ? mask(value) : value;
  const shown = scores.map((score): ReportScore => {
    const { name, value, label } = score;
    const baseline = before.find((other) => other.name === name);
    const explanation = findExplanation(score);
    return {
      name: mask(name),
      candidate: text(value),
      ...(baseline && { baseline: text(baseline.value) }),
      ...(label !== undefined && { label: mask(label) }),
      ...(explanation !== undefined && { explanation: mask(explanation).slice(0, LONGEST_EXPLANATION) }),
    };
  });
  const lost = before.filter(({ name }) => !scores.some((score) => score.name === name));
  return [...shown, ...lost.map(({ name, value }) => ({ name: mask(name), baseline: text(value) }))];
}

/** Judges explain their score in `explanation`, those of autoevals in `metadata.rationale`. */
function findExplanation({ explanation, metadata }: ItemScore): string | undefined {
  if (explanation !== undefined) return explanation;
  if (!isJsonObject(metadata)) return undefined;
  const explanations = [metadata['explanation'], metadata['rationale'], metadata['reason']];
  return explanations.find((text) => typeof text === 'string');
}

/** The name of an item in reports: its own name, or the hash of its arguments. `undefined` for a recorded call, which has an id. */
export function nameItem(
  planned: PlannedItem,
  capturer: Capturer,
  codecs: readonly Codec[],
): string | undefined {
  const { name, call, traceId, decodeInput } = planned;
  if (name !== undefined || call !== undefined || traceId !== undefined || decodeInput === undefined)
    return name;
  const { json } = capturer.captureArguments(decodeInput(codecs).args);
  return `input ${sha256(json).slice(0, 12)}`;
}
