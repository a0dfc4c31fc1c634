import { isJsonObject, type JsonValue, pointerSteps } from '@dacapo/protocol';
import { Captured } from '../capture/captured.js';
import { mergeMeta, prefixMeta } from '../capture/field-meta.js';
import { forgetContent, readContent } from '../capture/media/file-contents.js';
import type { ActiveSpan } from './active-span.js';

/** Reads the files among the arguments of an open span, and records their bytes with the other arguments. */
export async function readInputFiles(
  span: ActiveSpan,
  input: Captured,
  files: NonNullable<Captured['notRead']>,
): Promise<void> {
  const { fields } = span.start.recorder;
  for (const { blob } of files) await readContent(blob);
  // A record that was already sent does not change.
  if (!span.isRecording || span.input !== input) return;
  let json = JSON.parse(input.json) as JsonValue;
  let isWhole = true;
  const notes = [input.meta];
  for (const { pointer, blob } of files) {
    const file = fields.capture(blob);
    forgetContent(blob);
    isWhole &&= file?.replayable === true;
    if (file === undefined) continue;
    json = replaceAt(json, pointerSteps(pointer), JSON.parse(file.json) as JsonValue);
    notes.push(prefixMeta(pointer, file.meta));
  }
  const text = JSON.stringify(json);
  if (Buffer.byteLength(text) <= fields.capturer.options.maxFieldBytes)
    span.setInput(Captured.of(text, mergeMeta(notes), isWhole));
}

function replaceAt(json: JsonValue, [step, ...steps]: readonly string[], value: JsonValue): JsonValue {
  if (step === undefined) return value;
  if (Array.isArray(json))
    return json.map((item, index) => (String(index) === step ? replaceAt(item, steps, value) : item));
  if (!isJsonObject(json) || !Object.hasOwn(json, step)) return json;
  return { ...json, [step]: replaceAt(json[step] ?? null, steps, value) };
}
