import { isTraceId } from '../ids/ids.js';
import { LIMITS } from '../limits.js';
import type { MediaRecord } from '../records/media.js';
import { Fields } from './fields.js';

const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** Whether a text is a SHA-256 in lower-case hex. */
export function isMediaId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** @throws ProtocolError with the name of the field that is missing or invalid */
export function parseMediaRecord(value: unknown): MediaRecord {
  const media = Fields.of('media', value);
  return {
    id: media.matching('id', isMediaId, 'a SHA-256 in lower-case hex'),
    trace_id: media.matching('trace_id', isTraceId, 'a UUID in lower case'),
    type: media.matching('type', (text) => MEDIA_TYPE.test(text), 'a MIME type, such as image/png'),
    size: media.integer('size', 0, LIMITS.mediaBytes),
    ...(media.has('data') && { data: media.string('data') }),
  };
}
