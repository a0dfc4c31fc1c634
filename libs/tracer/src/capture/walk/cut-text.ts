import { findChunkEnd, findChunkStart } from './string-chunks.js';

/** With less room than this, only the head of a text is kept. */
const LEAST_BYTES = 1024;
const HEAD_CHARACTERS = 128;
const HEAD_BYTES = 384;
/** Larger texts are masked only around the kept parts. */
const MASKED_WHOLE = 8 * 1024 * 1024;
/** Characters beyond the kept parts that are masked too, so that a cut splits no secret. Longer than any secret with its name. */
export const MARGIN = 64 * 1024;
const ELLIPSIS = '…';

/** The two ends of a text. */
export interface TextEnds {
  readonly text: string;
  /** Characters before the ellipsis. */
  readonly kept: number;
  /** Characters after it. */
  readonly tail: number;
  /** Whether a secret was masked anywhere in the text, also in parts that are not kept. */
  readonly isMasked: boolean;
}

/**
 * Cuts the middle out of a text so that its JSON takes at most `bytes`, and little less. Masks secrets before the cut, because a split
 * secret would not be found afterwards.
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
