import { dataProperty, isObjectPrototype } from '../walk/own-data.js';

const NAME_LENGTH = 100;
const CHAIN_LIMIT = 32;

/** What a class's prototype chain tells of its objects. */
export interface ClassTraits {
  readonly name: string;
  /** It has methods or accessors: its data alone is not the whole of it. */
  readonly behaves: boolean;
  /** Names of what its objects can do, methods and accessors. */
  readonly members: ReadonlySet<PropertyKey>;
}

const known = new WeakMap<object, ClassTraits>();

/** Looks at each prototype once; runs no code of the class. */
export function classTraits(prototype: object): ClassTraits {
  let traits = known.get(prototype);
  if (traits === undefined) {
    traits = readTraits(prototype);
    known.set(prototype, traits);
  }
  return traits;
}

function readTraits(prototype: object): ClassTraits {
  const members = new Set<PropertyKey>();
  let link: object | null = prototype;
  for (let hops = 0; link !== null && hops < CHAIN_LIMIT && !isObjectPrototype(link); hops++) {
    for (const key of Reflect.ownKeys(link)) if (isBehaviour(link, key)) members.add(key);
    link = Object.getPrototypeOf(link) as object | null;
  }
  return { name: className(prototype), behaves: members.size > 0, members };
}

function isBehaviour(prototype: object, key: PropertyKey): boolean {
  if (key === 'constructor') return false;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
  return descriptor !== undefined && (descriptor.get !== undefined || typeof descriptor.value === 'function');
}

function className(prototype: object): string {
  const constructor = dataProperty(prototype, 'constructor');
  return typeof constructor === 'function' ? functionName(constructor) : '';
}

/** A function's name, cut; empty when it has none that can be read. */
export function functionName(value: object): string {
  try {
    const name: unknown = Object.getOwnPropertyDescriptor(value, 'name')?.value;
    return typeof name === 'string' ? name.slice(0, NAME_LENGTH) : '';
  } catch {
    return '';
  }
}
