import { type FieldMeta, isJsonObject, type JsonValue, type RecordedCall } from '@dacapo/protocol';
import type { Codec } from '../../capture/codec.js';
import { revive } from '../../capture/revive.js';
import { reviveThrown } from '../../capture/revive/error-record.js';
import { type RecordedItems, streamMakerOf } from './recorded-stream.js';

/** What gives a recorded outcome again, or why it cannot be given. */
export type RecordedOutcome = { readonly give: () => unknown } | { readonly reason: string };

/** The end of a stream whose consumer stopped early: the recording does not hold what comes next. */
export type OnEndOfRecording = (reason: string) => never;

/**
 * What a recorded call gave: the value, the stream of what it streamed, or its error thrown again. Whether it comes at
 * once or by a promise is another's to know.
 */
export function outcomeOf(
  call: RecordedCall,
  codecs: readonly Codec[],
  onEndOfRecording: OnEndOfRecording,
): RecordedOutcome {
  const { status, error, meta, output } = call;
  const kind = streamKindOf(call);
  if (status === 'unfinished') return { reason: 'it had not finished when it was recorded' };
  if (status === 'cancelled' && kind === undefined) return { reason: 'it was cancelled' };
  if (status === 'error' && kind === undefined) {
    return error === undefined
      ? { reason: 'its error was not recorded' }
      : {
          give: () => {
            throw reviveThrown(error);
          },
        };
  }
  if (meta?.output?.truncated !== undefined) return { reason: 'its output was cut when it was recorded' };
  if (meta?.output?.replayable === false) {
    return { reason: 'its output was not recorded, or holds what cannot be made again' };
  }
  const codec = missingCodec(meta?.output, codecs);
  if (codec !== undefined) {
    const name = JSON.stringify(codec);
    return { reason: `its output holds what the codec ${name} made, which is none of capture.codecs here` };
  }
  const value = (): unknown => (output === undefined ? undefined : revive(output, meta?.output, codecs));
  if (kind === undefined) return { give: value };
  const items = output === undefined ? [] : value();
  if (!Array.isArray(items)) return { reason: `what its ${kind} gave was not recorded item by item` };
  const make = streamMakerOf(kind, { items, end: endOf(call, items.length, onEndOfRecording) });
  return make === undefined ? { reason: `it returned a ${kind}, which cannot be made here` } : { give: make };
}

/** The name of a codec that the value was recorded with and that is not here. */
function missingCodec(meta: FieldMeta | undefined, codecs: readonly Codec[]): JsonValue | undefined {
  const notes = Object.values(meta?.types ?? {}).filter(isJsonObject);
  const names = notes.filter(({ type }) => type === 'codec').map(({ name }) => name);
  return names.find((name) => !codecs.some((codec) => codec.name === name));
}

function streamKindOf({ meta }: RecordedCall): string | undefined {
  const stream = meta?.['stream'];
  return isJsonObject(stream) && typeof stream['kind'] === 'string' ? stream['kind'] : undefined;
}

function endOf(
  { status, error }: RecordedCall,
  count: number,
  onEndOfRecording: OnEndOfRecording,
): RecordedItems['end'] {
  return () => {
    if (status === 'error' && error !== undefined) throw reviveThrown(error);
    if (status === 'cancelled') onEndOfRecording(`its consumer stopped after ${count} items`);
  };
}
