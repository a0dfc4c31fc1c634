import { hasUnrecordedData, isObjectPrototype, type WireTypeNote } from '@dacapo/protocol';
import { types } from 'node:util';
import { GETTER } from './container-text.js';
import { Walker } from './walker.js';

type Ask = (this: object, key: string) => unknown;
const getterOf = Reflect.get(Object.prototype, '__lookupGetter__') as Ask;

/** Takes the place of an item that is read by a getter. */
const ITEM_GETTER = Symbol('item with a getter');

/**
 * Writes what a `Walker` writes, and also notes where a plain object or an array has data that is not recorded. That takes longer than
 * recording may, so it is for values that a replay compares.
 */
export class ComparisonWalker extends Walker {
  override write(value: unknown, holder: number, key: string | number): void {
    if (value === ITEM_GETTER) this.writeRare(GETTER, holder, key);
    else super.write(value, holder, key);
  }

  protected override writeParts(value: object, node: number): void {
    const note = noteOnHidden(value);
    if (note !== undefined && hasUnrecordedData(value)) {
      this.note(node, note);
      this.lost();
    }
    super.writeParts(value, node);
  }

  protected override array(value: readonly unknown[], node: number): void {
    super.array(withoutGetters(value), node);
  }
}

/** For values that a `Walker` writes without a look at what else they hold. */
function noteOnHidden(value: object): WireTypeNote | undefined {
  const prototype = Reflect.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype === null) return { type: 'Array', class: '', hidden: true };
    return prototype === Array.prototype ? { type: 'Array', hidden: true } : undefined;
  }
  if (prototype !== null) return isObjectPrototype(prototype) ? { type: 'Object', hidden: true } : undefined;
  const isNamed = types.isExternal(value) || types.isModuleNamespaceObject(value);
  return isNamed ? undefined : { type: 'null-prototype', hidden: true };
}

/** A copy where items have getters, else the array itself. Holes stay. */
function withoutGetters(array: readonly unknown[]): readonly unknown[] {
  if (types.isProxy(array)) return array;
  const names = Object.getOwnPropertyNames(array);
  if (!names.some((name) => getterOf.call(array, name) !== undefined)) return array;
  const copy = new Array<unknown>(array.length);
  for (const name of names) {
    const hasGetter = getterOf.call(array, name) !== undefined;
    const value: unknown = hasGetter ? ITEM_GETTER : Reflect.get(array, name);
    if (name !== 'length') Reflect.set(copy, name, value);
  }
  return copy;
}
