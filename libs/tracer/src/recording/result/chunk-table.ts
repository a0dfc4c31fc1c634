import { pointerSteps, pointerTo } from '@dacapo/protocol';

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
  readonly rows: readonly Row[];
}

/** The members of an object or a list; of a single value there are none. */
interface Node {
  /** Absent: of a list. */
  readonly keys: readonly string[] | undefined;
  readonly members: readonly (Node | undefined)[];
}

interface OpenShape {
  readonly node: Node | undefined;
  readonly rows: unknown[][];
}

interface Column {
  readonly index: number;
  readonly pointer: string;
}

/** Vendors have some twenty kinds of events. */
const MOST_SHAPES = 100;
/** Characters, with some for each value, that are kept. */
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
  /** Later chunks are not kept. */
  isCut = false;

  private readonly shapes: OpenShape[] = [];
  private readonly chunks: { readonly shape: number; readonly values: unknown[] }[] = [];
  private size = 0;

  /**
   * @param isKept `false`: it only counts
   * @returns the memory that it takes
   */
  add(chunk: unknown, isKept: boolean): number {
    this.count++;
    this.isCut ||= !isKept || this.size > KEPT;
    if (this.isCut) return 0;
    const values: unknown[] = [];
    const shape = this.shapeOf(chunk, values);
    this.isCut = shape === undefined;
    if (shape === undefined) return 0;
    this.shapes[shape]?.rows.push(values);
    this.chunks.push({ shape, values });
    let size = OF_A_VALUE;
    for (const value of values) size += typeof value === 'string' ? value.length + OF_A_VALUE : OF_A_VALUE;
    this.size += size;
    return size;
  }

  /**
   * The chunks that are kept.
   *
   * @param mask masks the secrets of a text: what came at one place of the chunks is one text
   * @param isTelling whether a value may be secret because of a name: then its chunk stays whole
   */
  short(mask: (text: string) => string, isTelling: (name: string) => boolean): ShortChunks {
    const columns = this.shapes.map(({ node, rows }) => {
      const pointers: string[] = [];
      addPointers(node, '', pointers);
      const varying = pointers
        .map((pointer, index) => ({ pointer, index }))
        .filter(({ index }) => varies(rows, index));
      return varying.some(({ pointer }) => pointerSteps(pointer).some(isTelling)) ? undefined : varying;
    });
    this.maskPieces(columns, mask);
    const rows = this.chunks.map(({ shape, values }): Row => {
      const varying = columns[shape];
      return varying === undefined
        ? [WHOLE, build(this.shapes[shape]?.node, values)]
        : [shape, ...varying.map(({ index }) => values[index])];
    });
    const shapes = this.shapes.map(({ node, rows: [first = []] }, index) => {
      const varying = columns[index];
      return varying === undefined
        ? { first: null, at: [] }
        : { first: build(node, first), at: varying.map(({ pointer }) => pointer) };
    });
    return { shapes, rows };
  }

  private shapeOf(chunk: unknown, values: unknown[]): number | undefined {
    for (let index = this.shapes.length - 1; index >= 0; index--) {
      values.length = 0;
      if (readValues(this.shapes[index]?.node, chunk, values)) return index;
    }
    if (this.shapes.length === MOST_SHAPES) return undefined;
    values.length = 0;
    return this.shapes.push({ node: nodeOf(chunk, values), rows: [] }) - 1;
  }

  /** Where the texts at one place hold a secret together, the first has all of it, masked, and the others nothing. */
  private maskPieces(
    columns: readonly (readonly Column[] | undefined)[],
    mask: (text: string) => string,
  ): void {
    const pieces = new Map<string, { readonly values: unknown[]; readonly index: number }[]>();
    for (const { shape, values } of this.chunks) {
      for (const { index, pointer } of columns[shape] ?? []) {
        if (typeof values[index] !== 'string') continue;
        const list = pieces.get(pointer);
        if (list === undefined) pieces.set(pointer, [{ values, index }]);
        else list.push({ values, index });
      }
    }
    for (const list of pieces.values()) {
      const text = list.map(({ values, index }) => values[index] as string).join('');
      const masked = list.length === 1 ? text : mask(text);
      if (masked === text) continue;
      for (const [number, { values, index }] of list.entries()) values[index] = number === 0 ? masked : '';
    }
  }
}

/** The chunks again, each its own; `undefined` for what is no such table. */
export function expandChunks(short: unknown): unknown[] | undefined {
  const { shapes, rows } = (short ?? {}) as Partial<ShortChunks>;
  if (!Array.isArray(shapes) || !Array.isArray(rows)) return undefined;
  const forms = (shapes as Shape[]).map(({ first, at }) => ({ first, places: at.map(pointerSteps) }));
  return (rows as Row[]).map(([shape, ...values]) => {
    if (shape === WHOLE) return values[0];
    const { first, places = [] } = forms[shape] ?? {};
    const holder = { chunk: copyPlain(first) };
    for (const [column, value] of values.entries()) put(holder, places[column] ?? [], value);
    return holder.chunk;
  });
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
    return members.every((member, index) => readValues(member, value[index], values));
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

function nodeOf(value: unknown, values: unknown[]): Node | undefined {
  if (Array.isArray(value)) return { keys: undefined, members: value.map((item) => nodeOf(item, values)) };
  if (typeof value === 'object' && value !== null && isPlain(value)) {
    const keys = Object.keys(value);
    return { keys, members: keys.map((key) => nodeOf((value as Record<string, unknown>)[key], values)) };
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
