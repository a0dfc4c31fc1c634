import { hasUnrecordedData, isObjectPrototype, type WireTypeNote } from '@dacapo/protocol';
import { types } from 'node:util';
import { Walker } from './walker.js';

/**
 * A `Walker` that also notes where a plain object or an array has data that a recording omits. It is too slow for recording, so only
 * replays use it, for the values that they compare.
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

/** Notes hidden data of values whose other properties a `Walker` does not inspect. */
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
