import { FrameError, MOST_SPAN_VALUES } from '../span-frame.js';
import { LENGTH_DELIMITED, WireCursor } from './wire-cursor.js';

/** The nested messages of a message, by field number. */
interface Shape {
  readonly [field: number]: Shape;
}

const VALUE: Record<number, Shape> = {};
const KEY_VALUE: Shape = { 2: VALUE };
VALUE[5] = { 1: VALUE };
VALUE[6] = { 1: KEY_VALUE };
const WITH_ATTRIBUTES = (field: number): Shape => ({ [field]: KEY_VALUE });

export const SPAN: Shape = {
  9: KEY_VALUE,
  11: WITH_ATTRIBUTES(3),
  13: WITH_ATTRIBUTES(4),
  15: {},
};
export const RESOURCE: Shape = WITH_ATTRIBUTES(1);
export const SCOPE: Shape = WITH_ATTRIBUTES(3);

/** protobufjs stops at 100 levels. */
const DEEPEST = 99;

/**
 * Counts the fields of a message and its nested messages without decoding it. An empty field takes two bytes in the body, and more than
 * fifty as an object.
 *
 * @throws FrameError when the message is malformed, or has too many fields or levels
 */
export function countFields(bytes: Uint8Array, shape: Shape): number {
  let fields = 0;
  const walk = (start: number, end: number, inside: Shape, depth: number): void => {
    if (depth > DEEPEST) throw new FrameError(`nests deeper than ${DEEPEST}`);
    const cursor = new WireCursor(bytes, start, end);
    while (cursor.next()) {
      if (cursor.isCut) throw new FrameError('has a field that is longer than the span');
      if (++fields > MOST_SPAN_VALUES) throw new FrameError(`has more than ${MOST_SPAN_VALUES} fields`);
      const next = inside[cursor.number];
      if (next !== undefined && cursor.wireType === LENGTH_DELIMITED)
        walk(cursor.start, cursor.end, next, depth + 1);
    }
  };
  walk(0, bytes.length, shape, 0);
  return fields;
}
