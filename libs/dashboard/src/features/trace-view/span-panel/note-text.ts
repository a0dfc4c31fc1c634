import { type Cut, describeCut, describeType, type TypeNote } from '@dacapo/protocol';
import { formatBytes, formatCount } from '../../../shared/format/format-count.js';

const MAX_CHARACTERS = 200;

/** `first 128 of 2.9 MB`, or an empty string for a cut without details. */
export function cutText(cut: Cut): string {
  return describeCut(cut, { bytes: formatBytes, count: formatCount }) ?? '';
}

/** `class Order with methods`, or the raw text of an unknown note. */
export function typeText(note: TypeNote): string {
  return shorten(describeType(note) ?? (note.type === 'unknown' ? rawText(note.note) : note.type));
}

export function shorten(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

function rawText(note: unknown): string {
  return typeof note === 'string' ? note : JSON.stringify(note);
}
