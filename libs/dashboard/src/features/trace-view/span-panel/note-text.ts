import { type Cut, describeCut, describeType, type TypeNote } from '@dacapo/protocol';
import { formatBytes, formatCount } from '../../../shared/format/format-count.js';

const MAX_CHARACTERS = 200;

/** `first 128 of 2.9 MB`; empty when a cut says nothing of itself. */
export function cutText(cut: Cut): string {
  return describeCut(cut, { bytes: formatBytes, count: formatCount }) ?? '';
}

/** `class Order with methods`; a note that is not known as it came. */
export function typeText(note: TypeNote): string {
  return shortened(describeType(note) ?? (note.type === 'unknown' ? asItCame(note.note) : note.type));
}

export function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

function asItCame(note: unknown): string {
  return typeof note === 'string' ? note : JSON.stringify(note);
}
