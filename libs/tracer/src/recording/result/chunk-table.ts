import { EndsBuffer, type Run } from './ends-buffer.js';
import { type Chunk, type Form, type Node, SAME, type ShortChunks, shortenChunks } from './shorten-chunks.js';

/** Vendors use about twenty kinds of events. */
const MOST_SHAPES = 100;
/** Limit in characters, plus an overhead per value. Beyond it, only the first and the last chunks are kept. */
const KEPT = 1024 * 1024;
const OF_A_VALUE = 8;

/** Faster than `Object.hasOwn` inside `for … in`, where the engine already knows the result. */
const isOwn: (this: object, key: string) => boolean = Reflect.get(Object.prototype, 'hasOwnProperty');

/**
 * Collects the chunks of a stream in a compact form, because most of a chunk repeats the previous one. A chunk is read when it passes,
 * because the application may modify it later.
 */
export class ChunkTable {
  /** Number of added chunks, including those that are not kept. */
  count = 0;
  private readonly forms: Form[] = [];
  private readonly chunks = new EndsBuffer<Chunk>(KEPT);
  /** Buffer for the leaves of the chunk that is being added. */
  private readonly leaves: unknown[] = [];
  private leafCount = 0;

  /** How many of the first and the last chunks are kept; `undefined` if all are. */
  get kept(): { readonly head: number; readonly tail: number } | undefined {
    const [head, tail] = this.chunks.runs;
    return head && tail && { head: countKept(head), tail: countKept(tail) };
  }

  /**
   * @param isKept `false` only counts the chunk
   * @returns the additional memory
   */
  add(chunk: unknown, isKept: boolean): number {
    this.count++;
    const found = isKept ? this.findForm(chunk) : SAME;
    const form = this.forms[found] ?? (isKept ? this.addForm(chunk) : undefined);
    if (form === undefined) {
      this.chunks.skip();
      return 0;
    }
    const { first, columns } = form;
    const { leaves } = this;
    const isFirst = found === SAME;
    const row: Chunk = [isFirst ? this.forms.length - 1 : found];
    let size = OF_A_VALUE;
    for (let leaf = 0; leaf < first.length; leaf++) {
      const value = leaves[leaf];
      let column = columns[leaf] ?? SAME;
      if (column === SAME && !Object.is(value, first[leaf])) column = columns[leaf] = ++form.width;
      if (column !== SAME) row[column] = value;
      // The form already holds the leaves of its first chunk.
      if (column !== SAME || isFirst)
        size += typeof value === 'string' ? value.length + OF_A_VALUE : OF_A_VALUE;
    }
    return this.chunks.add(row, size);
  }

  /**
   * Returns the kept chunks in compact form.
   *
   * @param mask masks secrets in a text. The pieces at one place of consecutive chunks are masked as one text
   * @param isTelling whether a property name suggests a secret; such a chunk is stored whole
   * @param inRows whether to write rows instead of cells, so that a note on a cut counts rows
   */
  short(
    mask: (text: string) => string,
    isTelling: (name: string) => boolean,
    inRows = this.chunks.isCut,
  ): ShortChunks {
    return shortenChunks(this.forms, this.chunks.runs, { mask, isTelling, inRows });
  }

  /** @returns the number of the form; `SAME` if it is new */
  private findForm(chunk: unknown): number {
    for (let index = this.forms.length - 1; index >= 0; index--) {
      this.leafCount = 0;
      if (this.read(this.forms[index]?.node, chunk)) return index;
    }
    return SAME;
  }

  private addForm(chunk: unknown): Form | undefined {
    if (this.forms.length === MOST_SHAPES) return undefined;
    this.leafCount = 0;
    const node = this.readNode(chunk);
    const first = this.leaves.slice(0, this.leafCount);
    const form = { node, first, columns: first.map(() => SAME), width: 0 };
    this.forms.push(form);
    return form;
  }

  /** Reads the leaves of a value. @returns whether it has the members of the node */
  private read(node: Node | undefined, value: unknown): boolean {
    if (!isHolder(value)) {
      this.leaves[this.leafCount++] = value;
      return node === undefined;
    }
    if (node === undefined) return false;
    const { keys, members } = node;
    let index = 0;
    if (Array.isArray(value)) {
      if (keys !== undefined || value.length !== members.length) return false;
      for (; index < members.length; index++) if (!this.read(members[index], value[index])) return false;
      return true;
    }
    if (keys === undefined) return false;
    for (const key in value) {
      if (!isOwn.call(value, key)) continue;
      if (keys[index] !== key || !this.read(members[index], value[key])) return false;
      index++;
    }
    return index === keys.length;
  }

  private readNode(value: unknown): Node | undefined {
    if (!isHolder(value)) {
      this.leaves[this.leafCount++] = value;
      return undefined;
    }
    if (Array.isArray(value)) return { keys: undefined, members: value.map((item) => this.readNode(item)) };
    const keys = Object.keys(value);
    return { keys, members: keys.map((key) => this.readNode(value[key])) };
  }
}

function countKept({ kept: { from, to } }: Run<Chunk>): number {
  return to - from;
}

/** Whether a value has members: objects of classes are single values. */
export function isHolder(value: unknown): value is Record<string, unknown> | unknown[] {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
