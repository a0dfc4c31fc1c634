import type { SqlParameter } from '../../meta/transaction.js';
import { toSqlValue } from '../../meta/bind.js';
import type { ColumnType } from './table.js';

/** Ids in PostgreSQL's catalog. */
const ELEMENT_TYPES: Readonly<Record<ColumnType, number>> = {
  text: 25,
  bigint: 20,
  'double precision': 701,
};

const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NUMBER_BYTES = 8;
const NULL_LENGTH = -1;
const TWO_TO_THE_32 = 2 ** 32;

/**
 * Encodes a column as an array in PostgreSQL's binary format. As text, each character of each value would be escaped here and parsed
 * there.
 */
export function encodeArray(type: ColumnType, values: readonly SqlParameter[]): Buffer {
  const elements = values.map(toSqlValue);
  const lengths = elements.map((value) =>
    value === null ? 0 : typeof value === 'string' ? Buffer.byteLength(value) : NUMBER_BYTES,
  );
  const bytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, HEAD_BYTES);
  const array = Buffer.allocUnsafe(bytes);
  const [dimensions, hasNulls, firstIndex] = [1, Number(elements.includes(null)), 1];
  const head = [dimensions, hasNulls, ELEMENT_TYPES[type], elements.length, firstIndex];
  let at = 0;
  for (const number of head) at = array.writeInt32BE(number, at);
  for (const [index, value] of elements.entries()) {
    at = array.writeInt32BE(value === null ? NULL_LENGTH : (lengths[index] ?? 0), at);
    if (typeof value === 'string') at += array.write(value, at);
    else if (typeof value === 'number') at = writeNumber(array, type, value, at);
    else if (value !== null) throw new TypeError(`A column of type ${type} cannot have bytes`);
  }
  return array;
}

function writeNumber(array: Buffer, type: ColumnType, value: number, at: number): number {
  if (type === 'double precision') return array.writeDoubleBE(value, at);
  array.writeInt32BE(Math.floor(value / TWO_TO_THE_32), at);
  return array.writeUInt32BE(value >>> 0, at + NUMBER_BYTES / 2);
}
