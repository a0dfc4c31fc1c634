import { findChunkEnd, findChunkStart } from './string-chunks.js';

/** Below this many bytes only a head is kept. */
const LEAST_BYTES = 1024;
const HEAD_CHARACTERS = 128;
const HEAD_BYTES = 384;
/** Larger texts are not masked as a whole, but around what is kept. */
const MASKED_WHOLE = 8 * 1024 * 1024;
/** What is masked and not kept, so that no secret is broken by the cut: longer than any secret and its name. */
export const MARGIN = 64 * 1024;
const ELLIPSIS = '…';

/** The two ends of a text. */
export interface TextEnds {
  readonly text: string;
  /** Characters before the ellipsis. */
  readonly kept: number;
  /** Characters after it. */
  readonly tail: number;
  /** A secret was masked somewhere in the text, also where nothing is kept. */
  readonly isMasked: boolean;
}

/**
 * Cuts the middle out of a text, so that its JSON takes `bytes` at most and little less. Secrets are masked before the cut: one that the
 * cut breaks would not be found after it.
 */
export function cutText(text: string, bytes: number, mask: (text: string) => string): TextEnds {
  const isLarge = text.length > MASKED_WHOLE;
  const room = isLarge ? Math.max(bytes, HEAD_CHARACTERS) : 0;
  const [before, after] = isLarge ? [text.slice(0, room + MARGIN), text.slice(-room - MARGIN)] : [text, text];
  const [start, end] = isLarge ? [mask(before), mask(after)] : [mask(text), ''];
  const isMasked = start !== before || (isLarge && end !== after);
  const [head, tail] = !isMasked
    ? [text, text]
    : isLarge
      ? [start.slice(0, -MARGIN), end.slice(MARGIN)]
      : [start, start];
  return { ...fit(head, tail, bytes), isMasked };
}

function fit(head: string, tail: string, bytes: number): Omit<TextEnds, 'isMasked'> {
  if (bytes < LEAST_BYTES) return headAlone(head, HEAD_CHARACTERS);
  let characters = bytes - ELLIPSIS.length * 3 - 2;
  for (;;) {
    const ends = joinEnds(head, tail, characters);
    const size = Buffer.byteLength(JSON.stringify(ends.text));
    if (size <= bytes) return ends;
    characters = Math.floor(characters * Math.min(bytes / size, 0.99));
  }
}

function joinEnds(head: string, tail: string, characters: number): Omit<TextEnds, 'isMasked'> {
  const first = head.slice(0, findChunkEnd(head, 0, characters >> 1));
  const last = tail.slice(findChunkStart(tail, Math.max(0, tail.length - (characters >> 1))));
  return { text: first + ELLIPSIS + last, kept: first.length, tail: last.length };
}

function headAlone(text: string, characters: number): Omit<TextEnds, 'isMasked'> {
  const head = text.slice(0, findChunkEnd(text, 0, characters));
  if (Buffer.byteLength(JSON.stringify(head)) > HEAD_BYTES - 3) return headAlone(text, characters >> 1);
  return { text: head + ELLIPSIS, kept: head.length, tail: 0 };
}
