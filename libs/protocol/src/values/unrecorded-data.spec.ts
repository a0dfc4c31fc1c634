import { hasExtraNames } from './extra-names.js';
import { hasUnrecordedData } from './unrecorded-data.js';

const mark = Symbol('mark');
const createArguments: (...args: unknown[]) => object = function () {
  // eslint-disable-next-line prefer-rest-params
  return arguments;
};
const refusing = (trap: 'ownKeys' | 'getOwnPropertyDescriptor'): object =>
  new Proxy(
    { [mark]: 1 },
    {
      [trap]: () => {
        throw new Error('refused');
      },
    },
  );

describe('hasUnrecordedData', () => {
  it.each<[string, object]>([
    ['a named property of an array', Object.assign([1], { total: 3 })],
    ['an index with a leading zero', Object.assign([1, 2], { '01': 3 })],
    ['a fraction', Object.assign([1, 2], { '0.5': 3 })],
    ['a number that is too large for an index', Object.assign([1], { 4294967295: 3 })],
    ['a symbol', { [mark]: 1 }],
    ['a symbol on an array', Object.assign([1], { [mark]: 1 })],
    ['a symbol that is true', { [mark]: true }],
    ['a symbol that is null', { [mark]: null }],
    ['a getter under a symbol', Object.defineProperty({}, mark, { enumerable: true, get: () => undefined })],
    ['arguments', createArguments(1)],
    ['a namespace', Math],
    ['a toStringTag', { [Symbol.toStringTag]: 'Object' }],
    ['another kind without its prototype', Object.setPrototypeOf(new Date(0), null) as object],
    ['a Proxy that does not list its keys', refusing('ownKeys')],
    ['a Proxy that does not describe its properties', refusing('getOwnPropertyDescriptor')],
  ])('returns true for %s', (_, value) => {
    expect(hasUnrecordedData(value)).toBe(true);
  });

  it.each<[string, object]>([
    ['items', [1, 2]],
    ['many items', Array.from({ length: 11 }, () => 1)],
    ['holes', new Array(3)],
    ['properties', { a: 1, 0: 2, '01': 3 }],
    ['no prototype', Object.assign(Object.create(null) as object, { a: 1 })],
    ['a symbol that is undefined', { [mark]: undefined }],
    ['a symbol that is not enumerable', Object.defineProperty({}, mark, { value: 1 })],
    ['a name that is not enumerable', Object.defineProperty([1], 'total', { value: 3 })],
    ['a Proxy', new Proxy([1], {})],
  ])('returns false for %s', (_, value) => {
    expect(hasUnrecordedData(value)).toBe(false);
  });

  it('runs no getter', () => {
    let calls = 0;
    const get = (): number => calls++;
    hasUnrecordedData(Object.defineProperty({ a: 1 }, mark, { enumerable: true, get }));
    hasUnrecordedData(Object.defineProperty({}, Symbol.toStringTag, { enumerable: false, get }));
    hasUnrecordedData(Object.defineProperty([1], 'total', { enumerable: true, get }));
    expect(calls).toBe(0);
  });
});

it('hasExtraNames counts only the given number of items', () => {
  expect(hasExtraNames({ 0: 1 }, 1)).toBe(false);
  expect(hasExtraNames({ 0: 1 }, 0)).toBe(true);
  expect(hasExtraNames(Object('ab') as object, 2)).toBe(false);
});
