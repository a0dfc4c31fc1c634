import { pointerSteps, pointerTo } from '@dacapo/protocol';
import { maskAsOne, type Piece } from '../../capture/redaction/pieces.js';
import { EndsBuffer, type Run } from './ends-buffer.js';

/** Where chunks with the same members differ from the first of them. */
interface Shape {
  readonly first: unknown;
  readonly at: readonly string[];
}

/** The number of its shape, then what is different; or -1 and the whole chunk. */
type Row = readonly [shape: number, ...values: unknown[]];

/** The chunks of a stream in short form. */
export interface ShortChunks {
  readonly shapes: readonly Shape[];
  /** All rows, one after another: a list costs less to record than a list of lists. */
  readonly cells?: readonly unknown[];
  /** Instead of `cells`, where chunks are missing; recordings before the upgrade have this form. */
  readonly rows?: readonly Row[];
}

/** The members of an object or a list; of a single value there are none. */
interface Node {
  /** Absent: of a list. */
  readonly keys: readonly string[] | undefined;
  readonly members: readonly (Node | undefined)[];
}

/** A chunk as its shape and its single values. */
interface Chunk {
  readonly shape: number;
  readonly values: unknown[];
}

interface Column {
  readonly index: number;
  readonly pointer: string;
}

/** Vendors have some twenty kinds of events. */
const MOST_SHAPES = 100;
/** Characters, with some for each value, that are held: of more chunks the first and the last. */
const KEPT = 1024 * 1024;
const OF_A_VALUE = 8;
const WHOLE = -1;

/**
 * Gathers the chunks of a stream in short form: most of a chunk repeats the one before. Each is read when it passes, for the
 * application may change it later.
 */
export class ChunkTable {
  /** Chunks that were added, those that are not kept included. */
  count = 0;
  private readonly shapes: (Node | undefined)[] = [];
  private readonly chunks = new EndsBuffer<Chunk>(KEPT);

  /** How many of the first and the last chunks are kept; `undefined`: all are. */
  get kept(): { readonly head: number; readonly tail: number } | undefined {
    const [head, tail] = this.chunks.runs;
    return head && tail && { head: countKept(head), tail: countKept(tail) };
  }

  /**
   * @param isKept `false`: it only counts
   * @returns by how much memory it takes more than before
   */
  add(chunk: unknown, isKept: boolean): number {
    this.count++;
    const values: unknown[] = [];
    const shape = isKept ? this.findShape(chunk, values) : undefined;
    if (shape === undefined) {
      this.chunks.skip();
      return 0;
    }
    let size = OF_A_VALUE;
    for (const value of values) size += typeof value === 'string' ? value.length + OF_A_VALUE : OF_A_VALUE;
    return this.chunks.add({ shape, values }, size);
  }

  /**
   * The chunks that are kept.
   *
   * @param mask masks the secrets of a text: what came at one place of the chunks is one text
   * @param isTelling whether a value may be secret because of a name: then its chunk stays whole
   * @param inRows `true`: a cut says how many rows are left
   */
  short(
    mask: (text: string) => string,
    isTelling: (name: string) => boolean,
    inRows = this.chunks.isCut,
  ): ShortChunks {
    const { runs } = this.chunks;
    const chunks = runs.flatMap(({ items, kept }) => items.slice(kept.from, kept.to));
    const rowsByShape = this.shapes.map((): unknown[][] => []);
    for (const { shape, values } of chunks) rowsByShape[shape]?.push(values);
    const columns = this.shapes.map((node, index) => {
      const rows = rowsByShape[index] ?? [];
      const pointers: string[] = [];
      addPointers(node, '', pointers);
      const varying = pointers
        .map((pointer, index) => ({ pointer, index }))
        .filter(({ index }) => varies(rows, index));
      return { varying, isWhole: varying.some(({ pointer }) => pointerSteps(pointer).some(isTelling)) };
    });
    for (const run of runs) maskPieces(run, columns, mask);
    const rows = chunks.map(({ shape, values }): Row => {
      const { varying = [], isWhole } = columns[shape] ?? {};
      return isWhole === true
        ? [WHOLE, build(this.shapes[shape], values)]
        : [shape, ...varying.map(({ index }) => values[index])];
    });
    const shapes = this.shapes.map((node, index) => {
      const { varying = [], isWhole } = columns[index] ?? {};
      const first = rowsByShape[index]?.[0];
      return isWhole === true || first === undefined
        ? { first: null, at: [] }
        : { first: build(node, first), at: varying.map(({ pointer }) => pointer) };
    });
    return inRows ? { shapes, rows } : { shapes, cells: rows.flat() };
  }

  private findShape(chunk: unknown, values: unknown[]): number | undefined {
    for (let index = this.shapes.length - 1; index >= 0; index--) {
      values.length = 0;
      if (readValues(this.shapes[index], chunk, values)) return index;
    }
    if (this.shapes.length === MOST_SHAPES) return undefined;
    values.length = 0;
    return this.shapes.push(readShape(chunk, values)) - 1;
  }
}

/** Where the texts at one place hold a secret together, the first has all of it, masked, and the others nothing. */
function maskPieces(
  { items, kept }: Run<Chunk>,
  columns: readonly { readonly varying: readonly Column[] }[],
  mask: (text: string) => string,
): void {
  const texts = new Map<string, Piece[]>();
  for (const [item, { shape, values }] of items.entries()) {
    for (const { index, pointer } of columns[shape]?.varying ?? []) {
      const text = values[index];
      if (typeof text !== 'string') continue;
      const piece = { item, text, put: (masked: string) => (values[index] = masked) };
      const pieces = texts.get(pointer);
      if (pieces === undefined) texts.set(pointer, [piece]);
      else pieces.push(piece);
    }
  }
  for (const pieces of texts.values())
    if (pieces.length > 1 && maskAsOne(pieces, mask, kept)) for (const { put, text } of pieces) put(text);
}

function countKept({ kept: { from, to } }: Run<Chunk>): number {
  return to - from;
}

/** The chunks again, each its own; `undefined` for what is no such table. */
export function expandChunks(short: unknown): unknown[] | undefined {
  const { shapes, cells, rows } = (short ?? {}) as Partial<ShortChunks>;
  if (!Array.isArray(shapes) || !Array.isArray(cells ?? rows)) return undefined;
  const forms = (shapes as Shape[]).map(({ first, at }) => ({ first, places: at.map(pointerSteps) }));
  const lengths = forms.map(({ places }) => places.length);
  const all = cells === undefined ? rows : rowsByShape(cells, lengths);
  return all?.map(([shape, ...values]) => {
    if (shape === WHOLE) return values[0];
    const { first, places = [] } = forms[shape] ?? {};
    const holder = { chunk: copyPlain(first) };
    for (const [column, value] of values.entries()) put(holder, places[column] ?? [], value);
    return holder.chunk;
  });
}

/** @param lengths how many values a row of each shape has */
function rowsByShape(cells: readonly unknown[], lengths: readonly number[]): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < cells.length;) {
    const shape = cells[at] as number;
    const end = at + 1 + (shape === WHOLE ? 1 : (lengths[shape] ?? 0));
    rows.push([shape, ...cells.slice(at + 1, end)]);
    at = end;
  }
  return rows;
}

/** Reads the single values of a chunk. @returns whether it has the members of the node */
function readValues(node: Node | undefined, value: unknown, values: unknown[]): boolean {
  const isHolder = typeof value === 'object' && value !== null && (Array.isArray(value) || isPlain(value));
  if (node === undefined || !isHolder) {
    values.push(value);
    return node === undefined && !isHolder;
  }
  const { keys, members } = node;
  if (Array.isArray(value)) {
    if (keys !== undefined || value.length !== members.length) return false;
    for (let index = 0; index < members.length; index++)
      if (!readValues(members[index], value[index], values)) return false;
    return true;
  }
  const own = Object.keys(value);
  if (keys === undefined || own.length !== keys.length) return false;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (own[index] !== key) return false;
    if (!readValues(members[index], (value as Record<string, unknown>)[key], values)) return false;
  }
  return true;
}

function readShape(value: unknown, values: unknown[]): Node | undefined {
  if (Array.isArray(value)) return { keys: undefined, members: value.map((item) => readShape(item, values)) };
  if (typeof value === 'object' && value !== null && isPlain(value)) {
    const keys = Object.keys(value);
    return { keys, members: keys.map((key) => readShape((value as Record<string, unknown>)[key], values)) };
  }
  values.push(value);
  return undefined;
}

/** Makes a chunk of its values, in the order in which they were read. */
function build(node: Node | undefined, values: readonly unknown[], next = { index: 0 }): unknown {
  if (node === undefined) return values[next.index++];
  const members = node.members.map((member) => build(member, values, next));
  return node.keys === undefined
    ? members
    : Object.fromEntries(node.keys.map((key, index) => [key, members[index]]));
}

function addPointers(node: Node | undefined, pointer: string, pointers: string[]): void {
  if (node === undefined) pointers.push(pointer);
  else
    for (const [index, member] of node.members.entries())
      addPointers(member, pointerTo(pointer, node.keys?.[index] ?? index), pointers);
}

function varies(rows: readonly (readonly unknown[])[], index: number): boolean {
  const first = rows[0]?.[index];
  return rows.some((row) => !Object.is(row[index], first));
}

function copyPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyPlain);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyPlain(member)]));
}

function put(holder: { chunk: unknown }, steps: readonly string[], value: unknown): void {
  let target: Record<string, unknown> = holder;
  let last = 'chunk';
  for (const step of steps) {
    target = target[last] as Record<string, unknown>;
    last = step;
  }
  // `__proto__` is a name like any other here.
  Object.defineProperty(target, last, { value, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}
