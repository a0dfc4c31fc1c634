import fc from 'fast-check';
import {
  readCut,
  readTypeNote,
  type TypeNote,
  type WireCut,
  type WireTypeNote,
  type WireWrapperNote,
} from './notes.js';

const simple: readonly WireTypeNote[] = [
  'undefined',
  'hole',
  'Map',
  'Set',
  'RegExp',
  'null-prototype',
  '-0',
  'number',
  'bigint',
  'Date',
  'URL',
  'URLSearchParams',
  'Buffer',
  'Float32Array',
  { type: 'undefined', count: 40 },
  { type: 'hole', count: 40 },
  { type: 'Object', hidden: true },
  { type: 'null-prototype', hidden: true },
  { type: 'RegExp', lastIndex: 2 },
  { type: 'head', of: 'DataView' },
  { type: 'Map', class: 'Lookup' },
  { type: 'Set', class: 'Bag' },
  { type: 'Error', class: 'TypeError' },
  { type: 'opaque', class: 'Promise' },
  { type: 'class', class: 'Ticket' },
  { type: 'class', class: 'Ticket', methods: true },
  { type: 'symbol', key: 'app' },
  { type: 'symbol', wellKnown: 'iterator' },
  { type: 'AbortSignal', aborted: true },
  { type: 'ref', to: '1/a' },
];
const wrapper = fc.constantFrom<WireWrapperNote>(
  { type: 'toJSON', class: 'Point' },
  { type: 'codec', name: 'money' },
  { type: 'boxed' },
);
const note = fc.letrec<{ note: WireTypeNote }>((tie) => ({
  note: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...simple),
    wrapper,
    fc.tuple(wrapper, tie('note')).map(([outer, of]) => ({ ...outer, of })),
  ),
})).note;

/** Whether the parsed note has all details of the wire note, including defaults. */
function matches(read: TypeNote, wire: WireTypeNote): boolean {
  if (typeof wire === 'string')
    return read.type === 'bytes' ? read.class === wire && !read.isHead : read.type === wire;
  if (wire.type === 'head') return read.type === 'bytes' && read.class === wire.of && read.isHead;
  return Object.entries(wire).every(([name, value]) => {
    const of: unknown = Reflect.get(read, name);
    return name === 'of' ? matches(of as TypeNote, value as WireTypeNote) : of === value;
  });
}

describe('every note that the encoder writes', () => {
  it('is read with all details', () => {
    fc.assert(fc.property(note, (wire) => matches(readTypeNote(wire), wire)));
  });

  it.each<[WireCut, unit: string, size: number]>([
    [{ bytes: 9, kept: 2, sha256: 'ab' }, 'bytes', 9],
    [{ characters: 9, kept: 2 }, 'characters', 9],
    [{ items: 9, kept: 2 }, 'items', 9],
    [{ properties: 9, kept: 2 }, 'properties', 9],
    [{ depth: 100 }, 'depth', 100],
  ])('on a cut is read with its unit: %j', (wire, unit, size) => {
    expect(readCut(wire)).toMatchObject({
      ...(!('depth' in wire) && { kept: 2 }),
      unit,
      size,
      sha256: wire.sha256,
    });
  });
});
