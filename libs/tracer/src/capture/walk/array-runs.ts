import type { WireTypeNote } from '@dacapo/protocol';
import { types } from 'node:util';

/** Runs up to this length are written item by item, so that readers can count positions. */
const ONE_BY_ONE = 32;
/** Beyond this length, own indices are listed, because a sparse array may be too long for a loop. */
const LOOK_AHEAD = 1024;

export interface ArrayRun {
  /** The source index after the run. */
  readonly end: number;
  /** The meaning of one `null` in the text. */
  readonly note: WireTypeNote;
}

/** Finds the runs of holes and of `undefined` in one array. Call it from the beginning to the end. */
export class UndefinedRuns {
  /** Listed once, because an array with scattered holes has as many runs as items. */
  private indices: readonly number[] | undefined;
  private nextIndex = 0;

  constructor(private readonly array: readonly unknown[]) {}

  /** Returns the run that starts at `start`; a long one in one piece, because a Proxy may claim any length. */
  from(start: number): ArrayRun {
    const { array } = this;
    if (types.isProxy(array)) return { end: start + 1, note: 'undefined' };
    const type = Object.hasOwn(array, start) ? 'undefined' : 'hole';
    const end = type === 'hole' ? this.findHolesEnd(start) : findUndefinedEnd(array, start);
    const count = end - start;
    return count <= ONE_BY_ONE ? { end: start + 1, note: type } : { end, note: { type, count } };
  }

  private findHolesEnd(start: number): number {
    const { array } = this;
    if (this.indices !== undefined) return this.nextOwnIndex(start + 1);
    const near = Math.min(array.length, start + LOOK_AHEAD);
    let end = start + 1;
    while (end < near && !Object.hasOwn(array, end)) end++;
    return end < near || end === array.length ? end : this.nextOwnIndex(end);
  }

  private nextOwnIndex(from: number): number {
    const indices = (this.indices ??= ownIndices(this.array));
    while ((indices[this.nextIndex] ?? Infinity) < from) this.nextIndex++;
    return indices[this.nextIndex] ?? this.array.length;
  }
}

function findUndefinedEnd(array: readonly unknown[], start: number): number {
  let end = start + 1;
  while (end < array.length && array[end] === undefined && Object.hasOwn(array, end)) end++;
  return end;
}

/** Lists own indices in ascending order: JavaScript lists them so, before all other names. */
function ownIndices(array: readonly unknown[]): number[] {
  const keys = Object.keys(array);
  const firstName = keys.findIndex((key) => !Number.isInteger(Number(key)));
  return keys.slice(0, firstName < 0 ? keys.length : firstName).map(Number);
}
