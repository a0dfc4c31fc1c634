import { type ErrorRecord, isJsonObject, type StartedBy } from '@dacapo/protocol';

const PREVIEW_LENGTH = 200;

/** The head of a JSON text, for lists. */
export function previewOf(json: string | undefined): string | undefined {
  if (json === undefined || json.length <= PREVIEW_LENGTH) return json;
  const head = json.slice(0, PREVIEW_LENGTH - 1);
  return `${isHighSurrogate(head.charCodeAt(head.length - 1)) ? head.slice(0, -1) : head}…`;
}

/** Name and message of an error, for lists. */
export function errorPreviewOf(error: ErrorRecord | undefined): string | undefined {
  return previewOf(error && [error.name, error.message].filter(Boolean).join(': '));
}

/** What `meta.started_by` of a root says; nothing where it is not of that form: notes are the reporter's own. */
export function startedByOf(note: unknown): StartedBy | undefined {
  if (!isJsonObject(note)) return undefined;
  const { trace_id, span_id } = note;
  return typeof trace_id === 'string' && typeof span_id === 'string' ? { trace_id, span_id } : undefined;
}

function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}
