import type { RecordedInstance } from '@dacapo/tracer/internal';
import { type Transformer, transformPlain } from './class-transformer.js';
import { isClassOf, type KnownClasses } from './known-classes.js';
import { defineData, isPlainObject } from './plain-data.js';
import {
  type ArgumentClass,
  isClass,
  type PropertyTypes,
  propertyTypesOf,
  type TypeStorage,
} from './property-types.js';

export interface RestoreParts {
  /** What stands for instances in the recorded arguments. */
  readonly instances: ReadonlyMap<object, RecordedInstance>;
  readonly known: KnownClasses;
  readonly transformer: Transformer | undefined;
  readonly storage: TypeStorage | undefined;
}

/** Types whose conversion changes nothing that was converted before. */
const CONVERSIONS = new Map<unknown, (value: string | number | boolean) => unknown>([
  [String, String],
  [Number, Number],
  [Boolean, Boolean],
  [Date, (value) => new Date(value as string | number)],
]);

/**
 * Gives recorded objects of classes their classes again: the very data that was recorded, on the prototype of the class
 * of that name which a decorator declares for the place, else on the one class of that name which the application knows.
 *
 * The data was taken from an instance, so neither setters nor `@Transform`, `@Expose` and `@Exclude` are applied to it
 * once more. Properties that the class has got since are there with what its constructor gives them, where it needs no
 * arguments.
 */
export class InstanceRestorer {
  /** The instances, by what stood for them. */
  readonly made = new Map<object, object>();
  /** What stands for instances of which the application knows several classes. */
  readonly ambiguous = new Set<object>();
  private readonly copies = new Map<object, object>();
  /** Whether classes are looked up that no decorator declares in the place. */
  private isLooking = false;
  private readonly types = new Map<object, ArgumentClass>();

  constructor(private readonly parts: RestoreParts) {}

  /** @param declared the parameters' types, by position */
  restoreArguments(args: readonly unknown[], declared: readonly unknown[]): unknown[] {
    const restoreAll = (): unknown[] =>
      args.map((value, index) => this.restore(value, [declared[index]].filter(isClass)));
    restoreAll();
    // Once more: an object in two places may have its class declared at the second.
    this.isLooking = true;
    this.made.clear();
    this.copies.clear();
    return restoreAll();
  }

  private restore(value: unknown, candidates: readonly ArgumentClass[]): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const made = this.made.get(value);
    if (made !== undefined) return made;
    const type = this.types.get(value) ?? this.typeOf(value, candidates);
    if (type !== undefined) return this.make(type, value);
    return this.copies.get(value) ?? this.copy(value, candidates);
  }

  private typeOf(value: object, candidates: readonly ArgumentClass[]): ArgumentClass | undefined {
    const instance = this.parts.instances.get(value);
    if (instance === undefined) return undefined;
    const type =
      candidates.find((candidate) => isClassOf(instance, candidate)) ??
      (this.isLooking ? this.knownType(value, instance) : undefined);
    if (type !== undefined) this.types.set(value, type);
    return type;
  }

  private knownType(value: object, instance: RecordedInstance): ArgumentClass | undefined {
    const [type, ...others] = this.parts.known.candidatesFor(instance);
    if (others.length === 0) return type;
    this.ambiguous.add(value);
    return undefined;
  }

  private make(type: ArgumentClass, data: object): object {
    const instance = Object.create(type.prototype as object) as object;
    this.made.set(data, instance);
    for (const [key, value] of Object.entries(data)) {
      const types = propertyTypesOf(this.parts.storage, type, key, data);
      defineData(instance, key, this.member(this.restore(value, types.candidates), types));
    }
    for (const [key, value] of defaultsOf(type))
      if (!Object.hasOwn(instance, key)) defineData(instance, key, value);
    return instance;
  }

  /** What was recorded before its `@Type` was there is made of the class that it names now. */
  private member(value: unknown, { named }: PropertyTypes): unknown {
    const { transformer } = this.parts;
    const convert = CONVERSIONS.get(named);
    if (convert !== undefined)
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? convert(value)
        : value;
    if (transformer === undefined || !isClass(named)) return value;
    const transform = (item: unknown): unknown =>
      typeof item === 'object' && item !== null && isPlainObject(item)
        ? transformPlain(transformer, named, item)
        : item;
    return Array.isArray(value) ? value.map(transform) : transform(value);
  }

  /** Lists, maps, sets and plain objects, with what is restored inside; anything else as it is. */
  private copy(value: object, candidates: readonly ArgumentClass[]): object {
    if (Array.isArray(value))
      return this.copyInto(value, new Array<unknown>(value.length), (list) => {
        value.forEach((item, index) => (list[index] = this.restore(item, candidates)));
      });
    if (value instanceof Map)
      return this.copyInto(value, new Map(), (map) => {
        for (const [key, item] of value) map.set(this.restore(key, []), this.restore(item, candidates));
      });
    if (value instanceof Set)
      return this.copyInto(value, new Set(), (set) => {
        for (const item of value) set.add(this.restore(item, candidates));
      });
    if (!isPlainObject(value)) return value;
    const [type] = candidates;
    const empty = Object.create(Object.getPrototypeOf(value) as object | null) as object;
    return this.copyInto(value, empty, (object) => {
      for (const [key, member] of Object.entries(value)) {
        const types = type && propertyTypesOf(this.parts.storage, type, key, value).candidates;
        defineData(object, key, this.restore(member, types ?? []));
      }
    });
  }

  private copyInto<T extends object>(value: object, empty: T, fill: (copy: T) => void): T {
    this.copies.set(value, empty);
    fill(empty);
    return empty;
  }
}

function defaultsOf(type: ArgumentClass): [string, unknown][] {
  if (type.length > 0) return [];
  try {
    return Object.entries(new type());
  } catch {
    return [];
  }
}
