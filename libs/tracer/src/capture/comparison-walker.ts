import { hasUnrecordedData, isObjectPrototype, type WireTypeNote } from '@dacapo/protocol';
import { types } from 'node:util';
import { Walker } from './walker.js';

/**
 * Writes what a `Walker` writes, and also notes where a plain object or an array has data that is not recorded. That takes longer than
 * recording may, so it is for values that a replay compares.
 */
export class ComparisonWalker extends Walker {
  protected override writeParts(value: object, node: number): void {
    const note = noteOnHidden(value);
    if (note !== undefined && hasUnrecordedData(value)) {
      this.note(node, note);
      this.lost();
    }
    super.writeParts(value, node);
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
