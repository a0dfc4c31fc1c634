import { classTraits, hasSymbolData } from '@dacapo/protocol';
import type { StandIn, Walk } from '../walk/walk.js';

/**
 * Writes an object of a class without a codec: its own data and the name of its class.
 *
 * An instance that only has data, such as a DTO, can be replayed as this data. An instance with methods or accessors cannot, unless an
 * integration restores its class. If the class has `toJSON`, its result is written, called once; if it throws, the own data is written.
 */
export function writeClassInstance(value: object, node: number, walk: Walk): boolean {
  const prototype = Object.getPrototypeOf(value) as object;
  const { name, behaves, hidesState, holdsPrivate, holdsUnseen, members } = classTraits(prototype);
  if (members.has('toJSON')) {
    const answer = walk.findStandIn(value, 'toJSON', () => callToJson(value, name));
    if (answer !== undefined) {
      walk.lost();
      walk.standIn(answer, node);
      return true;
    }
  }
  const isHidden = holdsPrivate || holdsUnseen || hasSymbolData(value);
  const hidden = { ...(isHidden && { hidden: true as const }) };
  if (!behaves) {
    walk.note(node, { type: 'class', class: name, ...hidden });
    if (holdsUnseen) walk.lost();
  } else {
    walk.note(node, { type: 'class', class: name, methods: true, ...hidden });
    if (hidesState || name === '' || Reflect.ownKeys(value).length > Object.keys(value).length) walk.lost();
    else walk.lostMethods();
  }
  walk.record([], value, node);
  return true;
}

function callToJson(value: object, className: string): StandIn | undefined {
  try {
    const answer = (value as { toJSON(key: string): unknown }).toJSON('');
    return answer === value ? undefined : { value: answer, note: { type: 'toJSON', class: className } };
  } catch {
    return undefined;
  }
}
