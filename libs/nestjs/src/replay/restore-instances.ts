import type { RecordedInstance } from '@dacapo/tracer/internal';
import { type Transformer, transformPlain } from './class-transformer.js';
import { matchesClass, type KnownClasses } from './known-classes.js';
import { defineData, isPlainObject } from './plain-data.js';
import {
  type ArgumentClass,
  isClass,
  type PropertyTypes,
  findPropertyTypes,
  type TypeStorage,
} from './property-types.js';

export interface RestoreParts {
  /** The objects in the recorded arguments that represent instances. */
  readonly instances: ReadonlyMap<object, RecordedInstance>;
  readonly known: KnownClasses;
  readonly transformer: Transformer | undefined;
  readonly storage: TypeStorage | undefined;
}

/** Conversions that leave converted values unchanged. */
const CONVERSIONS = new Map<unknown, (value: string | number | boolean) => unknown>([
  [String, String],
  [Number, Number],
  [Boolean, Boolean],
  [Date, (value) => new Date(value as string | number)],
]);

/**
 * Restores the classes of recorded objects: puts the recorded data on the prototype of the class with the recorded name. That
 * is the class that a decorator declares for the property or parameter, else the only known class with this name.
 *
 * The data came from an instance, so setters, `@Transform`, `@Expose` and `@Exclude` do not run again. Properties that the
 * class gained since get the values of its constructor, if it needs no arguments.
 */
export class InstanceRestorer {
  /** The restored instances, by the objects that stood for them. */
  readonly made = new Map<object, object>();
  /** Objects for whose name the application knows several classes. */
  readonly ambiguous = new Set<object>();
  private readonly copies = new Map<object, object>();
  /** Whether to look up classes that no decorator declares. */
  private isLooking = false;
  private readonly types = new Map<object, ArgumentClass>();

  constructor(private readonly parts: RestoreParts) {}

  /** @param declared the parameters' types, by position */
  restoreArguments(args: readonly unknown[], declared: readonly unknown[]): unknown[] {
    const restoreAll = (): unknown[] =>
      args.map((value, index) => this.restore(value, [declared[index]].filter(isClass)));
    restoreAll();
    // Two passes: an object in two places may have its class declared only at the second.
    this.isLooking = true;
    this.made.clear();
    this.copies.clear();
    return restoreAll();
  }

  private restore(value: unknown, candidates: readonly ArgumentClass[]): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const made = this.made.get(value);
    if (made !== undefined) return made;
    const type = this.types.get(value) ?? this.findType(value, candidates);
    if (type !== undefined) return this.make(type, value);
    return this.copies.get(value) ?? this.copy(value, candidates);
  }

  private findType(value: object, candidates: readonly ArgumentClass[]): ArgumentClass | undefined {
    const instance = this.parts.instances.get(value);
    if (instance === undefined) return undefined;
    const type =
      candidates.find((candidate) => matchesClass(instance, candidate)) ??
      (this.isLooking ? this.findKnownType(value, instance) : undefined);
    if (type !== undefined) this.types.set(value, type);
    return type;
  }

  private findKnownType(value: object, instance: RecordedInstance): ArgumentClass | undefined {
    const [type, ...others] = this.parts.known.candidatesFor(instance);
    if (others.length === 0) return type;
    this.ambiguous.add(value);
    return undefined;
  }

  private make(type: ArgumentClass, data: object): object {
    const instance = Object.create(type.prototype as object) as object;
    this.made.set(data, instance);
    for (const [key, value] of Object.entries(data)) {
      const types = findPropertyTypes(this.parts.storage, type, key, data);
      defineData(instance, key, this.convertMember(this.restore(value, types.candidates), types));
    }
    for (const [key, value] of readDefaults(type))
      if (!Object.hasOwn(instance, key)) defineData(instance, key, value);
    return instance;
  }

  /** Converts data that was recorded before the property got its `@Type`. */
  private convertMember(value: unknown, { named }: PropertyTypes): unknown {
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

  /** Copies lists, maps, sets and plain objects, and restores their members. Returns other objects unchanged. */
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
        const types = type && findPropertyTypes(this.parts.storage, type, key, value).candidates;
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

function readDefaults(type: ArgumentClass): [string, unknown][] {
  if (type.length > 0) return [];
  try {
    return Object.entries(new type());
  } catch {
    return [];
  }
}
