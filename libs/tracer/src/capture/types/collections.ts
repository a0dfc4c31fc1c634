import { types } from 'node:util';
import type { Walk } from '../walk/walk.js';
import { extended, extensionOf } from './extension.js';

/** Maps as a list of pairs, sets as a list: order and keys of any type stay. */
export function writeCollection(value: object, node: number, walk: Walk): boolean {
  if (types.isMap(value)) {
    walk.note(node, extended('Map', extensionOf(value, 'Map', walk)));
    walk.pairs(pairs(value, walk), sizeOf(Map.prototype, value), node);
    return true;
  }
  if (types.isSet(value)) {
    walk.note(node, extended('Set', extensionOf(value, 'Set', walk)));
    walk.list(Set.prototype.values.call(value), sizeOf(Set.prototype, value), node);
    return true;
  }
  return false;
}

/** Pairs as new arrays, by the platform's own iterator. */
function* pairs(map: Map<unknown, unknown>, walk: Walk): Iterable<[unknown, unknown]> {
  for (const pair of Map.prototype.entries.call(map)) {
    if (typeof pair[0] === 'string') walk.meetsName(pair[0]);
    yield pair;
  }
}

/** By the platform's own getter: a subclass may have replaced it. */
function sizeOf(prototype: object, value: object): number {
  return Reflect.get(prototype, 'size', value) as number;
}
