import { types } from 'node:util';
import type { Walk } from '../walk/walk.js';
import { extended, describeExtension } from './extension.js';

/** In larger collections, only the first entries that fit are read, because listing a million entries takes 10 ms. */
const MOST_LISTED = 1_000_000;

/** Writes Maps as lists of pairs and Sets as lists, which keeps the order and keys of any type. */
export function writeCollection(value: object, node: number, walk: Walk): boolean {
  if (types.isMap(value)) {
    walk.note(node, extended('Map', describeExtension(value, 'Map', walk)));
    const total = readSize(Map.prototype, value);
    const getValue = (key: unknown): unknown => Map.prototype.get.call(value, key);
    walk.pairs(listed(Map.prototype.keys.call(value), total, walk), getValue, total, node);
    return true;
  }
  if (types.isSet(value)) {
    walk.note(node, extended('Set', describeExtension(value, 'Set', walk)));
    const total = readSize(Set.prototype, value);
    walk.list(listed(Set.prototype.values.call(value), total, walk), total, node);
    return true;
  }
  return false;
}

/** Lists entries with the platform's own iterators. */
function listed(values: IterableIterator<unknown>, total: number, walk: Walk): readonly unknown[] {
  if (total <= MOST_LISTED) return [...values];
  const first: unknown[] = [];
  // An entry takes at least two bytes.
  const most = Math.min(MOST_LISTED, walk.room >> 1);
  for (const value of values) {
    if (first.length >= most) break;
    first.push(value);
  }
  return first;
}

/** Reads the size with the platform's own getter, because a subclass may have replaced it. */
function readSize(prototype: object, value: object): number {
  return Reflect.get(prototype, 'size', value) as number;
}
