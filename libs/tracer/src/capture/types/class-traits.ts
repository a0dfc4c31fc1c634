import { dataProperty, isObjectPrototype } from '../walk/own-data.js';

const NAME_LENGTH = 100;
const CHAIN_LIMIT = 32;

/** What a class's prototype chain tells of its objects. */
export interface ClassTraits {
  readonly name: string;
  /** It has methods or accessors: its data alone is not the whole of it. */
  readonly behaves: boolean;
  /** Its objects may hold more than their properties: a `#private` field, an entry in a WeakMap. */
  readonly hidesState: boolean;
  /** Its objects hold data in fields that nobody else can read, as far as its source tells: its properties are not all of it. */
  readonly holdsPrivate: boolean;
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

/** Of the class of an object; `undefined` of one without a prototype. */
export function traitsOf(value: object): ClassTraits | undefined {
  const prototype = Reflect.getPrototypeOf(value);
  return prototype === null ? undefined : classTraits(prototype);
}

function readTraits(prototype: object): ClassTraits {
  const members = new Set<PropertyKey>();
  let [hidesState, holdsPrivate] = [false, false];
  let link: object | null = prototype;
  for (let hops = 0; link !== null && hops < CHAIN_LIMIT && !isObjectPrototype(link); hops++) {
    for (const key of Reflect.ownKeys(link)) if (isBehaviour(link, key)) members.add(key);
    const source = sourceOf(link);
    hidesState ||= tellsOfHiddenState(source);
    // All that a DOMException holds it tells.
    holdsPrivate ||= source !== undefined && PRIVATE_FIELD.test(source) && className(link) !== 'DOMException';
    link = Reflect.getPrototypeOf(link);
  }
  return { name: className(prototype), behaves: members.size > 0, hidesState, holdsPrivate, members };
}

function isBehaviour(prototype: object, key: PropertyKey): boolean {
  if (key === 'constructor') return false;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
  return descriptor !== undefined && (descriptor.get !== undefined || typeof descriptor.value === 'function');
}

/** `#x` and `accessor x` as they are written, and what compilers for older targets make of them; native code tells nothing. */
const HIDDEN_STATE =
  /[.\s{};(!]#[\p{L}_$]|\baccessor\s+[\w$]+\s*[=;]|__private|class_?private|ClassBrand|\.(?:get|set|has|add)\(\s*this\s*[,)]|\[native code\]/iu;

/** A field `#x` that is declared or set, unlike a method `#x()`, and what compilers for older targets make of it. */
const PRIVATE_FIELD =
  /#[\p{L}_$][\p{L}\p{N}_$]*\s*(?:=(?![=>])|;|(?:[+\-*/%&|^]|\*\*|\|\||&&|\?\?|<<|>>>?)=|\+\+|--)|__classPrivateFieldSet|_class_?private_?field_?(?:init|set)|\.set\(\s*this\s*,/iu;

/** Whether objects of the class may hold more than their properties, as far as its source tells. */
export function mayHideState(prototype: object): boolean {
  return tellsOfHiddenState(sourceOf(prototype));
}

/** @param source of a class; `undefined`: it is not known */
function tellsOfHiddenState(source: string | undefined): boolean {
  return source === undefined || HIDDEN_STATE.test(source);
}

function sourceOf(prototype: object): string | undefined {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof constructor === 'function' ? Function.prototype.toString.call(constructor) : undefined;
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
