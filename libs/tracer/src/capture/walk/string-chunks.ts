/** The end of the chunk of `size` characters that starts at `from`; never between the halves of a surrogate pair. */
export function findChunkEnd(text: string, from: number, size: number): number {
  const end = from + size;
  if (end >= text.length) return text.length;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/** The nearest place at or after `from` that is not between the halves of a surrogate pair. */
export function findChunkStart(text: string, from: number): number {
  return from > 0 && isHighSurrogate(text.charCodeAt(from - 1)) ? from + 1 : from;
}

/** Whether each half of a surrogate pair has its other half. UTF-8 cannot encode a lone half. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
