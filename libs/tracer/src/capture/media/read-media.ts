import type { ByteClass, MediaReference } from '@dacapo/protocol';
import { isAscii } from 'node:buffer';
import { sha256 } from '../../hashing.js';

/** Shorter texts and bytes are recorded inline. */
export const LEAST_MEDIA = 4096;

/** Number of base64 characters that a reference shows. */
const SHOWN = 24;
const DATA_URL = /^data:([^;,]*)[^,]{0,200};base64,/;
const LONGEST_HEADER = 300;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Number of characters to inspect to distinguish base64 of bytes from words, numbers and hex. */
const SAMPLES = 256;
const LEAST_KINDS = 24;

/** An image, a sound or a file that is encoded in a string. */
export interface TextMedia {
  readonly bytes: Buffer;
  readonly type: string;
  /** Length of the prefix that a reference shows: everything before the base64, and its first characters. */
  readonly shown: number;
}

/** Reads a `data:` URL in base64, or unbroken base64 of bytes; `undefined` for other texts. The bytes encode to the same text. */
export function readMediaText(text: string): TextMedia | undefined {
  const header = text.startsWith('data:') ? DATA_URL.exec(text.slice(0, LONGEST_HEADER)) : undefined;
  if (header === null) return undefined;
  const from = header?.[0].length ?? 0;
  if ((text.length - from) % 4 !== 0 || (header === undefined && !looksEncoded(text))) return undefined;
  const base64 = header === undefined ? text : text.slice(from);
  if (!BASE64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  // Unused bits of the last character would be lost.
  if (bytes.toString('base64', bytes.length - (bytes.length % 3 || 3)) !== base64.slice(-4)) return undefined;
  return { bytes, type: mediaType(header?.[1]) ?? detectType(bytes), shown: from + SHOWN };
}

/** Byte classes that usually contain files. Other typed arrays contain numbers and are recorded inline. */
export const MEDIA_CLASSES: ReadonlySet<ByteClass> = new Set(['Buffer', 'Uint8Array', 'ArrayBuffer']);

/** Number of bytes of a binary value that a reference shows. */
const HEAD_BYTES = 48;

/** The text that replaces media, and its note. */
interface Reference {
  readonly text: string;
  readonly cut: { bytes: number; kept: number; sha256: string; media?: MediaReference };
}

export function textReference(text: string, shown: number, media?: MediaReference): Reference {
  const cut = { bytes: text.length, kept: shown, sha256: sha256(text), ...(media && { media }) };
  return { text: `${text.slice(0, shown)}…`, cut };
}

export function bytesReference(bytes: Buffer, media?: MediaReference): Reference {
  const hash = media?.id ?? sha256(bytes);
  const cut = { bytes: bytes.length, kept: HEAD_BYTES, sha256: hash, ...(media && { media }) };
  return { text: bytes.toString('base64', 0, HEAD_BYTES), cut };
}

/** Whether the characters of a text are distributed like base64 of bytes. */
function looksEncoded(text: string): boolean {
  const kinds = new Set<number>();
  const step = text.length / SAMPLES;
  for (let at = 0; at < text.length; at += step) kinds.add(text.charCodeAt(Math.floor(at)));
  return kinds.size >= LEAST_KINDS && [...kinds].some(isUpper) && [...kinds].some(isLower);
}

const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;

function mediaType(declared: string | undefined): string | undefined {
  return declared !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(declared) ? declared.toLowerCase() : undefined;
}

/** The first bytes of each media type, as Latin-1. A dot matches any byte. */
const BEGINNINGS: readonly [RegExp, string][] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^RIFF.{4}WAVE/s, 'audio/wav'],
  [/^.{4}ftypavif/s, 'image/avif'],
  [/^.{4}ftypM4A/s, 'audio/mp4'],
  [/^.{4}ftyp/s, 'video/mp4'],
  [/^(?:ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^.E\xdf\xa3/s, 'video/webm'],
  [/^%PDF-/, 'application/pdf'],
  [/^PK[^ -~]{2}/, 'application/zip'],
];

const UNKNOWN_TYPE = 'application/octet-stream';

/** Detects the media type from the first bytes. */
export function detectType(bytes: Buffer): string {
  const beginning = bytes.toString('latin1', 0, 12);
  return BEGINNINGS.find(([pattern]) => pattern.test(beginning))?.[1] ?? UNKNOWN_TYPE;
}

/** Whether bytes without a known binary type may be text, which may contain secrets. */
export function mayBeText(bytes: Buffer, type: string): boolean {
  if (!/^text\/|json|xml|javascript|octet-stream$/.test(type)) return false;
  return isAscii(bytes.subarray(0, LEAST_MEDIA)) || type !== UNKNOWN_TYPE;
}
