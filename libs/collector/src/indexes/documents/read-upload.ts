import { DOCUMENT_TYPES, type DocumentUpload, Fields } from '@dacapo/protocol';

const SOURCE_LENGTH = 2048;

/** @throws ProtocolError naming the field, when a required field is missing or any field has the wrong shape */
export function readUpload(path: string, value: unknown): DocumentUpload {
  const upload = Fields.of(path, value);
  return {
    source: upload.matching('source', isSource, `a path or an address of 1 to ${SOURCE_LENGTH} characters`),
    ...(upload.has('title') && { title: upload.label('title') }),
    content: upload.string('content'),
    content_type: upload.oneOf('content_type', DOCUMENT_TYPES),
  };
}

function isSource(text: string): boolean {
  return text.trim() !== '' && text.length <= SOURCE_LENGTH;
}
