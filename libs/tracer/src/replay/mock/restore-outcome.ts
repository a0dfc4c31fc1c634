import {
  decode,
  decodeThrown,
  isJsonObject,
  type Notes,
  readNotes,
  readValue,
  type RecordedCall,
} from '@dacapo/protocol';
import type { Codec } from '../../options/capture-options.js';
import { expandChunks } from '../../recording/result/expand-chunks.js';
import { type RecordedItems, findStreamMaker } from './recorded-stream.js';

/** What gives a recorded outcome again, or why it cannot be given, and what would record one that can. */
export type RestoredOutcome = { readonly give: (turns: StreamTurns) => unknown } | UnrestorableOutcome;

/** Resolves when it is the turn of a stream's item, by its index; for the end, of their number. */
export type StreamTurns = (index: number) => Promise<void>;

export interface UnrestorableOutcome {
  readonly reason: string;
  readonly cure: string;
}

/**
 * The end of a stream whose consumer stopped early, or whose error is not known: the recording does not hold what comes next. Throws, or
 * returns a promise that stays pending until the application takes the call back.
 */
export type OnRecordingEnd = (reason: string) => unknown;

/**
 * What a recorded call gave: the value, the stream of what it streamed, or its error thrown again. Whether it comes at
 * once or by a promise is another's to know.
 */
export function restoreOutcome(
  call: RecordedCall,
  codecs: readonly Codec[],
  onRecordingEnd: OnRecordingEnd,
): RestoredOutcome {
  const { meta, output } = call;
  // The call returned, whatever its answer said.
  const ended = meta?.answered === true ? ANSWERED : call;
  const { status, error } = ended;
  const kind = readStreamKind(call);
  if (status === 'unfinished') return none('it had not finished when it was recorded');
  if (status === 'cancelled' && kind === undefined) return none('it was cancelled');
  if (status === 'error' && kind === undefined) {
    return error === undefined
      ? none('its error was not recorded')
      : {
          give: () => {
            throw decodeThrown(error);
          },
        };
  }
  const { merged = false, chunks, chunks_meta: notesOfChunks } = meta?.stream ?? {};
  if (merged && chunks === undefined)
    return none(
      'the chunks of its stream were not recorded',
      `${RECORD_AGAIN} with its chunks (capture.chunks) and its output`,
    );
  const [json, fieldMeta] = merged ? [chunks, notesOfChunks] : [output, meta?.output];
  const notes = readNotes(fieldMeta);
  if (notes.cuts.length > 0)
    return none(
      'its output was cut when it was recorded',
      `${RECORD_AGAIN} with a higher capture.maxFieldBytes`,
    );
  if (fieldMeta?.replayable === false) return lost(notes);
  const codec = missingCodec(notes, codecs);
  if (codec !== undefined) {
    const name = JSON.stringify(codec);
    return none(
      `its output holds what the codec ${name} made, which is none of capture.codecs here`,
      'Add it to capture.codecs',
    );
  }
  const value = (): unknown => decode(readValue({ json, meta: fieldMeta }), codecs);
  if (kind === undefined) return { give: value };
  const values = json === undefined ? [] : value();
  const items = merged ? (expandChunks(values) ?? values) : values;
  if (!Array.isArray(items)) return none(`what its ${kind} gave was not recorded item by item`);
  const { returned, returned_meta, sync = false } = meta?.stream ?? {};
  if (returned_meta?.replayable === false || returned_meta?.truncated !== undefined)
    return none(`what its ${kind} returned at its end cannot be made again`);
  const end = createEnd(ended, items.length, onRecordingEnd, () =>
    decode(readValue({ json: returned, meta: returned_meta }), codecs),
  );
  const make = findStreamMaker(kind);
  return make === undefined
    ? none(`it returned a ${kind}, which cannot be made here`)
    : { give: (turn) => make({ items, end, turn, isAtOnce: sync }) };
}

const ANSWERED: Pick<RecordedCall, 'status' | 'error'> = { status: 'ok' };

export const RECORD_AGAIN = 'Record the call again';

function none(reason: string, cure = RECORD_AGAIN): UnrestorableOutcome {
  return { reason, cure };
}

function lost({ types }: Notes): UnrestorableOutcome {
  for (const [, note] of types) {
    if (note.type === 'opaque' || note.type === 'toJSON' || (note.type === 'class' && note.methods)) {
      return none(
        `its output holds an object of class ${note.class}, which cannot be made again`,
        'Give the class a codec (capture.codecs) and record the call again',
      );
    }
  }
  return none(
    'its output was not recorded',
    `${RECORD_AGAIN} with its output (captureOutput, capture.output)`,
  );
}

/** The name of a codec that the value was recorded with and that is not here. */
function missingCodec({ types }: Notes, codecs: readonly Codec[]): string | undefined {
  const names = types.flatMap(([, note]) => (note.type === 'codec' ? [note.name] : []));
  return names.find((name) => !codecs.some((codec) => codec.name === name));
}

function readStreamKind({ meta }: RecordedCall): string | undefined {
  const stream = meta?.['stream'];
  return isJsonObject(stream) && typeof stream['kind'] === 'string' ? stream['kind'] : undefined;
}

function createEnd(
  { status, error }: Pick<RecordedCall, 'status' | 'error'>,
  count: number,
  onRecordingEnd: OnRecordingEnd,
  returned: () => unknown,
): RecordedItems['end'] {
  return () => {
    if (status === 'error' && error !== undefined) throw decodeThrown(error);
    if (status === 'error')
      return onRecordingEnd(`it failed after ${count} items, and its error was not recorded`);
    if (status === 'cancelled') return onRecordingEnd(`its consumer stopped after ${count} items`);
    return returned();
  };
}
