import { type ErrorRecord, isJsonObject, LIMITS, type SpanLink, type TraceDetail } from '@dacapo/protocol';

const PREVIEW_LENGTH = 200;

/** The start of a JSON text, for lists. */
export function previewJson(json: string | undefined): string | undefined {
  if (json === undefined || json.length <= PREVIEW_LENGTH) return json;
  const head = json.slice(0, PREVIEW_LENGTH - 1);
  return `${isHighSurrogate(head.charCodeAt(head.length - 1)) ? head.slice(0, -1) : head}…`;
}

/** Name and message of an error, for lists. */
export function previewError(error: ErrorRecord | undefined): string | undefined {
  return previewJson(error && [error.name, error.message].filter(Boolean).join(': '));
}

/** References of a root's `meta` to other traces. Invalid ones are skipped, because clients write them freely. */
export function readOrigin(startedBy: unknown, links: unknown): Pick<TraceDetail, 'started_by' | 'links'> {
  const [starter] = readLinks([startedBy]);
  const known = readLinks(Array.isArray(links) ? links : []).slice(0, LIMITS.links);
  return {
    ...(starter !== undefined && { started_by: starter }),
    ...(known.length > 0 && { links: known }),
  };
}

function readLinks(notes: readonly unknown[]): SpanLink[] {
  return notes.flatMap((note) => {
    const { trace_id, span_id } = isJsonObject(note) ? note : {};
    return typeof trace_id === 'string' && typeof span_id === 'string' ? [{ trace_id, span_id }] : [];
  });
}

function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}
