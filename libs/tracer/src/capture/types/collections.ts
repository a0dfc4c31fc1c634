import type { WireTypeNote } from '@dacapo/protocol';
import { types } from 'node:util';
import type { Walk } from '../walk/walk.js';
import { classTraits } from './class-traits.js';

/** Maps as a list of pairs, sets as a list: order and keys of any type stay. */
export function writeCollection(value: object, node: number, walk: Walk): boolean {
  if (types.isMap(value) || types.isSet(value)) noteProperties(value, node, walk);
  if (types.isMap(value)) {
    walk.note(node, collectionNote('Map', value, walk));
    walk.pairs(pairs(value, walk), sizeOf(Map.prototype, value), node);
    return true;
  }
  if (types.isSet(value)) {
    walk.note(node, collectionNote('Set', value, walk));
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

/** Properties of its own have no place beside its entries. */
export function noteProperties(value: object, node: number, walk: Walk): void {
  // Nearly always there are none: a loop asks in a tenth of the time that a list of them takes.
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    walk.cut(node, { properties: Object.keys(value).length, kept: 0 });
    return;
  }
}

/** By the platform's own getter: a subclass may have replaced it. */
function sizeOf(prototype: object, value: object): number {
  return Reflect.get(prototype, 'size', value) as number;
}

/** A subclass comes back as its base, and the note says so. */
function collectionNote(type: 'Map' | 'Set', value: object, walk: Walk): WireTypeNote {
  const { name } = classTraits(Object.getPrototypeOf(value) as object);
  if (name === type || name === '') return type;
  walk.lost();
  return { type, class: name };
}
