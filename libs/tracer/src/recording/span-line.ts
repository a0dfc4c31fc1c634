import type { CaptureMeta, FieldMeta, RecordedStream, SpanStatus } from '@dacapo/protocol';
import { type ByteString, encodeJson } from '../byte-string.js';
import type { Captured } from '../capture/captured.js';
import { mergeMeta, prefixMeta } from '../capture/field-meta.js';
import type { ActiveSpan } from './active-span.js';
import type { SpanContexts } from './span-contexts.js';
import { type SpanTimes, writeDuration } from './span-timer.js';
import type { StreamNote } from './stream-note.js';

/** Writes a span as one line of an ingest body, from JSON parts. */
export function writeSpanLine(
  span: ActiveSpan,
  status: SpanStatus,
  times: SpanTimes,
  output: Captured | undefined,
  error: ByteString | undefined,
): ByteString {
  const { definition, parentId, sourceSpanId } = span.start;
  const { testRunId } = span.trace;
  let line = `{"span":{"id":"${span.spanId}","trace_id":"${span.traceId}`;
  if (parentId !== undefined) line += `","parent_id":"${parentId}`;
  line += `${definition.labels}${status}","started_at":"${times.startedAt}`;
  if (times.endedAt === undefined) line += '"';
  else line += `","ended_at":"${times.endedAt}","duration_ms":${writeDuration(times.durationUs)}`;
  if (testRunId !== undefined) line += `,"test_run_id":${encodeJson(testRunId)}`;
  if (span.level !== undefined) line += `,"level":"${span.level}"`;
  if (parentId === undefined || span.start.hasRemoteParent === true) line += span.start.recorder.deployment;
  const source = span.mockedFrom ?? sourceSpanId;
  if (source !== undefined) line += `,"source_span_id":"${source}"`;
  if (status !== 'unfinished') line += span.trace.factsFor(span);
  return `${line},"span_data":{${writeSpanData(span, output, error)}}}}` as ByteString;
}

function writeSpanData(
  span: ActiveSpan,
  output: Captured | undefined,
  error: ByteString | undefined,
): string {
  const { input, contexts, prompt, usage } = span;
  const meta = writeMeta(span, output);
  let data = input === undefined ? '' : `"input":${input.utf8}`;
  if (output !== undefined) data = append(data, `"output":${output.utf8}`);
  if (error !== undefined) data = append(data, `"error":${error}`);
  if (prompt !== undefined) data = append(data, `"prompt":${prompt.utf8}`);
  if (contexts !== undefined && contexts.held.length > 0)
    data = append(data, `"contexts":[${contexts.held.map(({ utf8 }) => utf8).join(',')}]`);
  if (usage !== undefined) data = append(data, `"usage":${encodeJson(usage)}`);
  return meta === undefined ? data : append(data, `"meta":${meta}`);
}

function append(members: string, member: string): string {
  return members === '' ? member : `${members},${member}`;
}

const SYNC = { sync: true } as const;

/** Fields of only the outermost spans of a trace. */
const NO_ORIGIN = { startedBy: undefined, link: undefined };

function writeMeta(span: ActiveSpan, output: Captured | undefined): string | undefined {
  const { input, prompt, promptFormat, stream, isSync, isMocked, isContinued, isAnswered } = span;
  const { recorder, hasRemoteParent = false } = span.start;
  const { captureInput, captureOutput, className } = span.start.definition;
  const inputIsHere = input === undefined ? !isContinued : input.replayable;
  const replayable = captureInput === true && recorder.fields.capturesInput && inputIsHere;
  const rebuildable = captureInput === true && input?.rebuildable === true;
  const outputIsWhole =
    captureOutput === true && recorder.fields.capturesOutput && output?.replayable !== false;
  const contextsMeta = span.contexts && noteContexts(span.contexts);
  const after = findPredecessor(span);
  const { startedBy, link } = span.start.parentId === undefined ? span.trace : NO_ORIGIN;
  if (
    input?.meta === undefined &&
    output?.meta === undefined &&
    contextsMeta === undefined &&
    prompt?.meta === undefined &&
    promptFormat === undefined &&
    stream === undefined &&
    className === undefined &&
    !isMocked &&
    !isAnswered &&
    !isContinued &&
    !hasRemoteParent &&
    startedBy === undefined &&
    link === undefined &&
    replayable &&
    outputIsWhole
  ) {
    if (after === undefined) return isSync ? '{"sync":true}' : undefined;
    const quoted = after === null ? 'null' : `"${after}"`;
    return isSync ? `{"sync":true,"after":${quoted}}` : `{"after":${quoted}}`;
  }
  const notes = encodeJson({
    ...(input?.meta && { input: input.meta }),
    ...((output?.meta ?? !outputIsWhole) && {
      output: { ...output?.meta, ...(!outputIsWhole && { replayable: false }) },
    }),
    ...(contextsMeta && { contexts: contextsMeta }),
    ...(prompt?.meta && { prompt: prompt.meta }),
    ...(promptFormat && { prompt_format: promptFormat }),
    ...(isSync && SYNC),
    ...(className !== undefined && { class: className }),
    ...(isAnswered && { answered: true }),
    ...(isMocked && { mocked: true }),
    ...(hasRemoteParent && { remote_parent: true }),
    ...(startedBy && { started_by: { trace_id: startedBy.traceId, span_id: startedBy.spanId } }),
    ...(link && { links: [{ trace_id: link.traceId, span_id: link.spanId }] }),
    ...(after !== undefined && { after }),
    ...(isContinued && { continues: true }),
    ...(!replayable && { replayable: false, ...(rebuildable && { rebuildable }) }),
  } satisfies CaptureMeta);
  return withMember(notes, 'stream', stream && writeStream(stream));
}

/** The first call of a parent has no predecessor, so it is omitted. */
function findPredecessor({ start: { position, isFirst } }: ActiveSpan): string | null | undefined {
  return position === undefined ? undefined : (position.after ?? (isFirst === true ? undefined : null));
}

function writeStream(note: StreamNote): ByteString {
  const { kind, items, timeToFirstItemMs, isAtOnce, returned, isMerged, chunks } = note;
  const [returnedMeta, chunksMeta] = [returned, chunks].map((part) => part && toNotes(part));
  const written = encodeJson({
    kind,
    items,
    ...(timeToFirstItemMs !== undefined && { time_to_first_item_ms: timeToFirstItemMs }),
    ...(isAtOnce === true && SYNC),
    ...(returnedMeta && { returned_meta: returnedMeta }),
    ...(isMerged === true && { merged: true }),
    ...(chunksMeta && { chunks_meta: chunksMeta }),
  } satisfies RecordedStream);
  return withMember(withMember(written, 'returned', returned?.utf8), 'chunks', chunks?.utf8);
}

/** Adds a JSON member to an object's JSON. */
function withMember(object: ByteString, name: string, member: ByteString | undefined): ByteString {
  if (member === undefined) return object;
  return `${object.slice(0, -1)}${object === '{}' ? '' : ','}"${name}":${member}}` as ByteString;
}

function toNotes({ meta, replayable }: Captured): FieldMeta | undefined {
  return replayable ? meta : { ...meta, replayable: false };
}

function noteContexts({ held, sent, cut }: SpanContexts): FieldMeta | undefined {
  const notes = held.some(({ meta }) => meta !== undefined)
    ? held.map(({ meta }, index) => prefixMeta(`/${sent + index}`, meta))
    : [];
  const items = sent + held.length + cut;
  return mergeMeta([...notes, cut === 0 ? undefined : { truncated: { '': { items } } }]);
}
