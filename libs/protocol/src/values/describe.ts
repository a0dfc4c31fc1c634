import { type Cut, MASKED_OTHER, type TypeNote } from './notes.js';
import type { ValueNode } from './value-node.js';

/** How amounts are formatted. */
export interface AmountFormats {
  readonly bytes: (bytes: number) => string;
  readonly count: (count: number) => string;
}

const UNFORMATTED: AmountFormats = { bytes: (bytes) => `${bytes} bytes`, count: String };

/** Describes a cut: `first 128 of 3000000 bytes`, `first 5 and last 3 of 20 items`, `deeper than 100 levels`; `undefined` if unknown. */
export function describeCut({ unit, size, kept, tail }: Cut, formats = UNFORMATTED): string | undefined {
  if (unit === 'unknown' || size === undefined) return undefined;
  if (unit === 'depth') return `deeper than ${formats.count(size)} levels`;
  const whole = unit === 'bytes' ? formats.bytes(size) : `${formats.count(size)} ${unit}`;
  if (kept === undefined) return `a part of ${whole}`;
  const last = tail === 0 ? '' : ` and last ${formats.count(tail)}`;
  return `first ${formats.count(kept)}${last} of ${whole}`;
}

/** Describes a type note: `Date`, `class Order with methods`; `undefined` for a note of a later version. */
export function describeType(note: TypeNote): string | undefined {
  const type = describeBase(note);
  return type !== undefined && 'subclass' in note && note.subclass !== undefined
    ? `${type} ${note.subclass}`.trimEnd()
    : type;
}

function describeBase(note: TypeNote): string | undefined {
  switch (note.type) {
    case 'undefined':
    case 'hole':
      return note.count === 1 ? note.type : `${note.count} × ${note.type}`;
    case 'bytes':
      return note.class;
    case 'Map':
    case 'Set':
      return note.class === undefined ? note.type : `${note.type} ${note.class}`;
    case 'class':
      return `class ${note.class}${note.methods ? ' with methods' : ''}`;
    case 'Error':
    case 'toJSON':
    case 'opaque':
      return `${note.type} ${note.class}`.trimEnd();
    case 'codec':
      return `codec ${note.name}`;
    case 'symbol':
      return 'key' in note ? `Symbol.for(${note.key})` : `Symbol.${note.wellKnown}`;
    case 'AbortSignal':
      return note.aborted ? 'AbortSignal, aborted' : note.type;
    case 'ref':
      return `the same as at ${note.to}`;
    case 'boxed':
      return note.of === undefined ? 'boxed' : `boxed ${describeType(note.of) ?? ''}`.trimEnd();
    case 'masked':
      return note.of === MASKED_OTHER ? 'masked' : `masked ${note.of}`;
    case 'unknown':
      return undefined;
    default:
      return note.type;
  }
}

/** A value's type in one or two words: `text`, `Date`, `Map`, `class Order`. */
export function typeName(node: ValueNode): string {
  if ('subclass' in node && node.subclass !== undefined && node.subclass !== '') return node.subclass;
  switch (node.kind) {
    case 'string':
      return 'text';
    case 'date':
      return 'Date';
    case 'regexp':
      return 'RegExp';
    case 'signal':
      return 'AbortSignal';
    case 'map':
      return node.className ?? 'Map';
    case 'set':
      return node.className ?? 'Set';
    case 'class':
    case 'toJSON':
      return node.className === '' ? 'class' : `class ${node.className}`;
    case 'codec':
      return node.name;
    case 'bytes':
    case 'url':
    case 'opaque':
      return node.className;
    case 'error':
      return node.className === '' ? 'Error' : node.className;
    case 'masked':
    case 'boxed':
      return `${node.kind} ${typeName(node.of)}`;
    case 'deep':
      return node.isArray ? 'array' : 'object';
    default:
      return node.kind;
  }
}
