import type { JsonValue } from '@dacapo/protocol';
import { types } from 'node:util';

/** Runs up to this length stand one by one, so that positions can be read. */
const ONE_BY_ONE = 32;
/** From here on own indices are asked for: a sparse array may be longer than anyone can count. */
const LOOK_AHEAD = 1024;

export interface ArrayRun {
  /** The source index after the run. */
  readonly end: number;
  /** What one `null` in the text stands for. */
  readonly note: JsonValue;
}

/** The run of holes, or of `undefined`, that starts at `start`; a long one is taken as one. A Proxy may claim any length. */
export function undefinedRun(array: readonly unknown[], start: number): ArrayRun {
  if (types.isProxy(array)) return { end: start + 1, note: 'undefined' };
  const type = Object.hasOwn(array, start) ? 'undefined' : 'hole';
  const end = type === 'hole' ? endOfHoles(array, start) : endOfUndefined(array, start);
  const count = end - start;
  return count <= ONE_BY_ONE ? { end: start + 1, note: type } : { end, note: { type, count } };
}

function endOfUndefined(array: readonly unknown[], start: number): number {
  let end = start + 1;
  while (end < array.length && array[end] === undefined && Object.hasOwn(array, end)) end++;
  return end;
}

function endOfHoles(array: readonly unknown[], start: number): number {
  const near = Math.min(array.length, start + LOOK_AHEAD);
  let end = start + 1;
  while (end < near && !Object.hasOwn(array, end)) end++;
  return end < near || end === array.length ? end : nextOwnIndex(array, end);
}

function nextOwnIndex(array: readonly unknown[], from: number): number {
  for (const key of Object.keys(array)) {
    const index = Number(key);
    if (!Number.isInteger(index)) break;
    if (index >= from) return index;
  }
  return array.length;
}
