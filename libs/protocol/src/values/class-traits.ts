const NAME_LENGTH = 100;
const CHAIN_LIMIT = 32;

/** What the prototype chain of a class reveals about its objects. */
export interface ClassTraits {
  readonly name: string;
  /** It has methods or accessors, so its data alone does not describe it. */
  readonly behaves: boolean;
  /** Its objects may hold more than their properties, such as a `#private` field or a WeakMap entry. */
  readonly hidesState: boolean;
  /** Its source declares private fields that hold data. */
  readonly holdsPrivate: boolean;
  /** Its objects hold data that only platform code can read (an `Intl.NumberFormat`), or inherit data from an object. */
  readonly holdsUnseen: boolean;
  /** Number of prototypes between its objects and `Object.prototype`. */
  readonly depth: number;
  /** Names of its methods and accessors. */
  readonly members: ReadonlySet<PropertyKey>;
}

const known = new WeakMap<object, ClassTraits>();

/** Inspects each prototype once, without running code of the class. */
export function classTraits(prototype: object): ClassTraits {
  let traits = known.get(prototype);
  if (traits === undefined) {
    traits = readTraits(prototype);
    known.set(prototype, traits);
  }
  return traits;
}

/** Traits of an object's class; `undefined` without a prototype. */
export function readClassTraits(value: object): ClassTraits | undefined {
  const prototype = Reflect.getPrototypeOf(value);
  return prototype === null ? undefined : classTraits(prototype);
}

function readTraits(prototype: object): ClassTraits {
  const members = new Set<PropertyKey>();
  let [hidesState, holdsPrivate, holdsUnseen] = [false, false, false];
  let link: object | null = prototype;
  let depth = 0;
  for (; link !== null && depth < CHAIN_LIMIT && !isObjectPrototype(link); depth++) {
    for (const key of Reflect.ownKeys(link)) if (isBehaviour(link, key)) members.add(key);
    const source = readConstructorSource(link);
    hidesState ||= suggestsHiddenState(source);
    holdsPrivate ||= source !== undefined && PRIVATE_FIELD.test(source) && !isReadable(link);
    holdsUnseen ||=
      source === undefined ? Reflect.ownKeys(link).length > 0 : NATIVE.test(source) || isReadable(link);
    link = Reflect.getPrototypeOf(link);
  }
  const name = className(prototype);
  return { name, behaves: members.size > 0, hidesState, holdsPrivate, holdsUnseen, depth, members };
}

/** Node implements these classes with private fields, but all of their data is readable. */
function isReadable(prototype: object): boolean {
  const name = className(prototype);
  return name === 'DOMException' || prototype === URL.prototype || prototype === URLSearchParams.prototype;
}

const NATIVE = /\[native code\]/;

/** Name of the class that extends the platform's `type`; `undefined` for the type itself, in any realm. */
export function subclassName(prototype: object, type: string): string | undefined {
  const { name, depth } = classTraits(prototype);
  const usual = type === 'Buffer' ? 3 : /[Ii]nt\d|Float\d/.test(type) ? 2 : 1;
  return name === type && depth === usual ? undefined : name;
}

function isBehaviour(prototype: object, key: PropertyKey): boolean {
  if (key === 'constructor') return false;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
  return descriptor !== undefined && (descriptor.get !== undefined || typeof descriptor.value === 'function');
}

/** `#x`, `accessor x` and their compiled forms. Native code may hide state, too. */
const HIDDEN_STATE =
  /[.\s{};(!]#[\p{L}_$]|\baccessor\s+[\w$]+\s*[=;]|__private|class_?private|ClassBrand|\.(?:get|set|has|add)\(\s*this\s*[,)]|\[native code\]/iu;

/** A declared or assigned field `#x`, not a method `#x()`, and its compiled forms. */
const PRIVATE_FIELD =
  /#[\p{L}_$][\p{L}\p{N}_$]*\s*(?:=(?![=>])|;|(?:[+\-*/%&|^]|\*\*|\|\||&&|\?\?|<<|>>>?)=|\+\+|--)|__classPrivateFieldSet|_class_?private_?field_?(?:init|set)|\.set\(\s*this\s*,/iu;

/** Whether objects of the class may hold more than their properties, judged by its source. */
export function mayHideState(prototype: object): boolean {
  return suggestsHiddenState(readConstructorSource(prototype));
}

/** @param source source of a class; `undefined` if unknown */
function suggestsHiddenState(source: string | undefined): boolean {
  return source === undefined || HIDDEN_STATE.test(source);
}

function readConstructorSource(prototype: object): string | undefined {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof constructor === 'function' ? Function.prototype.toString.call(constructor) : undefined;
}

function className(prototype: object): string {
  const constructor = dataProperty(prototype, 'constructor');
  return typeof constructor === 'function' ? functionName(constructor) : '';
}

/** A function's name, cut to 100 characters; empty if it cannot be read. */
export function functionName(value: object): string {
  try {
    const name: unknown = Object.getOwnPropertyDescriptor(value, 'name')?.value;
    return typeof name === 'string' ? name.slice(0, NAME_LENGTH) : '';
  } catch {
    return '';
  }
}

/** Reads a data property of the object or its prototypes. An accessor counts as absent and never runs. */
export function dataProperty(value: object, key: PropertyKey): unknown {
  let holder: object | null = value;
  for (let hops = 0; holder !== null && hops < CHAIN_LIMIT; hops++) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) return descriptor.value;
    holder = Reflect.getPrototypeOf(holder);
  }
  return undefined;
}

/** Whether `prototype` is an `Object.prototype` of any realm. */
export function isObjectPrototype(prototype: object): boolean {
  return (
    prototype === Object.prototype ||
    (Object.getPrototypeOf(prototype) === null &&
      Object.hasOwn(prototype, 'hasOwnProperty') &&
      Object.hasOwn(prototype, 'isPrototypeOf'))
  );
}

/**
 * Whether an object has data under symbols, which are not recorded. `true` and `Symbol.toStringTag` do not count: they mark the
 * object's type (`Symbol.for('vercel.ai.error')`), which its class already shows.
 */
export function hasSymbolData(value: object): boolean {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.some((symbol) => {
    const descriptor = Object.getOwnPropertyDescriptor(value, symbol);
    if (descriptor?.enumerable !== true || symbol === Symbol.toStringTag) return false;
    return descriptor.get !== undefined || (descriptor.value !== undefined && descriptor.value !== true);
  });
}
