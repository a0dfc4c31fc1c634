import { toMembers } from '@dacapo/protocol';
import { forgetContent, readContent } from '../../capture/media/file-contents.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { describeFiles } from './describe-files.js';

/** Records a request with the bytes of its files, as the input of an open span that records it. */
export async function recordContents(span: ActiveSpan, request: unknown): Promise<void> {
  const { recorder, definition } = span.start;
  const { fields } = recorder;
  if (fields.capturer.options.metadataOnly || !fields.recordsInput(definition)) return;
  const described = await describeContents(request);
  if (span.isRecording) span.setInput(fields.captureInput(definition, [described]));
}

/**
 * Replaces `Blob`s and `File`s in a request by a description with the hash of their bytes, and the bytes if they can be stored. Reading
 * does not consume them. Streams are described without being read.
 */
export async function describeContents(request: unknown): Promise<object> {
  const blobs = new Set<Blob>();
  describeFiles(request, (blob) => {
    blobs.add(blob);
    return {};
  });
  const contents = new Map<Blob, object>();
  for (const blob of blobs) {
    contents.set(blob, await readContent(blob));
    forgetContent(blob);
  }
  return toMembers(describeFiles(request, (blob) => contents.get(blob) ?? {}));
}
