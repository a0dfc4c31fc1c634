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

/** Restores a recorded outcome, or says why it cannot and how to record one that can be restored. */
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
 * The outcome of a recorded call: the value, the stream, or the thrown error. The caller decides whether it comes
 * directly or as a promise.
 */
export function restoreOutcome(
  call: RecordedCall,
  codecs: readonly Codec[],
  onRecordingEnd: OnRecordingEnd,
): RestoredOutcome {
  const { meta, output } = call;
  // The call returned, whatever its status.
  const ended = meta?.answered === true ? ANSWERED : call;
  const { status, error } = ended;
  const kind = readStreamKind(call);
  if (status === 'unfinished') return none('it did not finish in the recording');
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
    return none('its output was cut in the recording', `${RECORD_AGAIN} with a higher capture.maxFieldBytes`);
  if (fieldMeta?.replayable === false) return lost(notes);
  const codec = missingCodec(notes, codecs);
  if (codec !== undefined) {
    const name = JSON.stringify(codec);
    return none(
      `its output was encoded by the codec ${name}, which is missing from capture.codecs`,
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
    return none(`what its ${kind} returned at its end cannot be rebuilt`);
  const end = createEnd(ended, items.length, onRecordingEnd, () =>
    decode(readValue({ json: returned, meta: returned_meta }), codecs),
  );
  const make = findStreamMaker(kind);
  return make === undefined
    ? none(`it returned a ${kind}, which cannot be rebuilt here`)
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
        `its output has an object of class ${note.class}, which cannot be rebuilt`,
        'Add a codec for the class (capture.codecs) and record the call again',
      );
    }
  }
  return none(
    'its output was not recorded',
    `${RECORD_AGAIN} with its output (captureOutput, capture.output)`,
  );
}

/** The name of a missing codec with which the value was recorded. */
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
