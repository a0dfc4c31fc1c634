import type { ModulesContainer } from '@nestjs/core';
import { classTraits, type RecordedInstance } from '@dacapo/tracer/internal';
import { prototypesOf } from '../tracing/traced-methods.js';
import { type ArgumentClass, isClass } from './property-types.js';

/** A minifier gives names of one or two letters to any class. */
const SHORTEST_NAME = 3;

/**
 * The classes that recorded arguments may be instances of where no decorator of the place declares one: those that the
 * application lists, then those of its container (tokens, providers, and the declared types of their constructors' and methods'
 * parameters and results).
 */
export class KnownClasses {
  private readonly found = new Map<string, Set<ArgumentClass>>();
  private readonly listed = new Map<string, Set<ArgumentClass>>();

  constructor(listed: readonly unknown[], modules: ModulesContainer) {
    for (const type of listed) add(this.listed, type);
    for (const [token, prototype] of prototypesOf(modules)) {
      add(this.found, token);
      add(this.found, prototype.constructor);
      for (const type of declaredTypes(prototype)) add(this.found, type);
    }
  }

  /** Those that a recorded object may be an instance of. Names of less than three letters are not looked up. */
  candidatesFor(recorded: RecordedInstance): readonly ArgumentClass[] {
    if (recorded.class.length < SHORTEST_NAME) return [];
    const known = this.listed.get(recorded.class) ?? this.found.get(recorded.class) ?? [];
    return [...known].filter((type) => isClassOf(recorded, type));
  }
}

/** By its name; where there were methods there must be some, and nothing that an instance would hide. */
export function isClassOf(recorded: RecordedInstance, type: ArgumentClass): boolean {
  const { name, behaves, hidesState } = classTraits(type.prototype as object);
  return name === recorded.class && !(behaves && hidesState) && (behaves || !recorded.hasMethods);
}

function add(classes: Map<string, Set<ArgumentClass>>, type: unknown): void {
  if (!isClass(type)) return;
  const { name } = classTraits(type.prototype as object);
  classes.set(name, (classes.get(name) ?? new Set()).add(type));
}

/** Of a class with what it extends. */
function declaredTypes(prototype: object): unknown[] {
  const types: unknown[] = [Reflect.getMetadata('design:paramtypes', prototype.constructor)];
  let owner: object | null = prototype;
  for (; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner) as object | null)
    for (const name of Reflect.ownKeys(owner))
      types.push(
        Reflect.getOwnMetadata('design:paramtypes', owner, name),
        Reflect.getOwnMetadata('design:returntype', owner, name),
      );
  return types.flat();
}
