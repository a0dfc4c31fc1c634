import { pointerSteps, pointerTo } from '@dacapo/protocol';
import { maskAsOne, type Piece } from '../../capture/redaction/pieces.js';
import type { Run } from './ends-buffer.js';

/** Where chunks with the same members differ from the first of them. */
export interface Shape {
  readonly first: unknown;
  readonly at: readonly string[];
}

/** The number of its shape, then what is different; or -1 and the whole chunk. */
export type Row = readonly [shape: number, ...values: unknown[]];

/** The chunks of a stream in short form. */
export interface ShortChunks {
  readonly shapes: readonly Shape[];
  /** All rows, one after another: a list costs less to record than a list of lists. */
  readonly cells?: readonly unknown[];
  /** Instead of `cells`, where chunks are missing; recordings before the upgrade have this form. */
  readonly rows?: readonly Row[];
}

/** The members of an object or a list; of a single value there are none. */
export interface Node {
  /** Absent: of a list. */
  readonly keys: readonly string[] | undefined;
  readonly members: readonly (Node | undefined)[];
}

/** Chunks with the same members. Leaves are the single values of a chunk, in the order in which they are read. */
export interface Form {
  readonly node: Node | undefined;
  /** The leaves of its first chunk. */
  readonly first: readonly unknown[];
  /** Where its chunks have each leaf; `SAME`: it was the same in all of them, and they do not have it. */
  readonly columns: number[];
  /** How many leaves its chunks have now. */
  width: number;
}

/** The number of its form, and the leaves that had differed from those of the first chunk when it passed. */
export type Chunk = [form: number, ...leaves: unknown[]];

/** The number of a row that is a whole chunk. */
export const WHOLE = -1;
/** The column of a leaf that no chunk has. */
export const SAME = -1;

/** A leaf that differs in some chunk. */
interface Column {
  readonly leaf: number;
  readonly at: number;
  readonly pointer: string;
}

/** The chunks of one form while they are written. */
interface Table {
  readonly form: Form;
  readonly columns: readonly Column[];
  /** A name decides what is secret: a row has no names. */
  readonly isWhole: boolean;
  first: Chunk | undefined;
}

interface Rules {
  /** Masks the secrets of a text: what came at one place of the chunks is one text. */
  readonly mask: (text: string) => string;
  /** Whether a value may be secret because of a name: then its chunk stays whole. */
  readonly isTelling: (name: string) => boolean;
  readonly inRows: boolean;
}

/** Chunks in short form. */
export function shortenChunks(
  forms: readonly Form[],
  runs: readonly Run<Chunk>[],
  { mask, isTelling, inRows }: Rules,
): ShortChunks {
  const tables = forms.map((form): Table => {
    const columns = findColumns(form);
    const isWhole = columns.some(({ pointer }) => pointerSteps(pointer).some(isTelling));
    return { form, columns, isWhole, first: undefined };
  });
  const chunks = runs.flatMap((run) => readRun(run, tables, mask));
  const rows = chunks.map((chunk): Row => {
    const table = tables[chunk[0]];
    if (table !== undefined) table.first ??= chunk;
    return table?.isWhole === true ? [WHOLE, rebuild(table, chunk)] : chunk;
  });
  const shapes = tables.map((table) => {
    const { columns, isWhole, first } = table;
    return isWhole || first === undefined
      ? { first: null, at: [] }
      : { first: rebuild(table, first), at: columns.map(({ pointer }) => pointer) };
  });
  if (inRows) return { shapes, rows };
  // `flat` takes ten times as long.
  const cells: unknown[] = [];
  for (const row of rows) for (const cell of row) cells.push(cell);
  return { shapes, cells };
}

/** Where chunks of a form differ, in the order of their leaves. */
function findColumns({ node: root, columns }: Form): Column[] {
  const found: Column[] = [];
  const path: (string | number)[] = [];
  let leaf = 0;
  const visit = (node: Node | undefined): void => {
    if (node === undefined) {
      const at = columns[leaf] ?? SAME;
      if (at !== SAME) found.push({ leaf, at, pointer: path.reduce<string>(pointerTo, '') });
      leaf++;
      return;
    }
    for (const [index, member] of node.members.entries()) {
      path.push(node.keys?.[index] ?? index);
      visit(member);
      path.pop();
    }
  };
  visit(root);
  return found;
}

/** The chunks of a run that are kept: with all leaves that differ in some chunk, and without the secrets that came in pieces. */
function readRun(
  { items, kept }: Run<Chunk>,
  tables: readonly Table[],
  mask: (text: string) => string,
): Chunk[] {
  const texts = new Map<string, string>();
  const chunks = items.map((chunk) => {
    const row: Chunk = [chunk[0]];
    const { columns = [], form } = tables[chunk[0]] ?? {};
    for (const { leaf, at, pointer } of columns) {
      const value = at < chunk.length ? chunk[at] : form?.first[leaf];
      row.push(value);
      if (typeof value === 'string') texts.set(pointer, (texts.get(pointer) ?? '') + value);
    }
    return row;
  });
  for (const [pointer, text] of texts) {
    if (mask(text) === text) continue;
    const pieces = listPieces(chunks, tables, pointer);
    if (pieces.length > 1 && maskAsOne(pieces, mask, kept)) for (const piece of pieces) piece.put(piece.text);
  }
  return chunks.slice(kept.from, kept.to);
}

/** The texts that came at one place, as few streams need them: most hold no secret. */
function listPieces(chunks: readonly Chunk[], tables: readonly Table[], pointer: string): Piece[] {
  return chunks.flatMap((row, item) => {
    const index = 1 + (tables[row[0]]?.columns.findIndex((column) => column.pointer === pointer) ?? SAME);
    const text = row[index];
    if (index === 0 || typeof text !== 'string') return [];
    return [{ item, text, put: (masked: string) => (row[index] = masked) }];
  });
}

/** A chunk as it passed, or masked. */
function rebuild({ form, columns }: Table, chunk: Chunk): unknown {
  const leaves = [...form.first];
  for (const [index, { leaf }] of columns.entries()) leaves[leaf] = chunk[index + 1];
  return build(form.node, leaves);
}

/** Makes a chunk of its values, in the order in which they were read. */
function build(node: Node | undefined, values: readonly unknown[], next = { index: 0 }): unknown {
  if (node === undefined) return values[next.index++];
  const members = node.members.map((member) => build(member, values, next));
  return node.keys === undefined
    ? members
    : Object.fromEntries(node.keys.map((key, index) => [key, members[index]]));
}
