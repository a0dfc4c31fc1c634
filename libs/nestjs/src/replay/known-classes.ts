import type { ModulesContainer } from '@nestjs/core';
import { classTraits, type RecordedInstance } from '@dacapo/tracer/internal';
import { prototypesIn } from '../container.js';
import { type ArgumentClass, isClass } from './property-types.js';

/** Minifiers give classes names of one or two letters. */
const SHORTEST_NAME = 3;

/**
 * The classes of recorded objects where no decorator declares a class: those that `replayClasses` lists, then those of the
 * container (tokens, providers, and the declared types of parameters and results of their constructors and methods).
 */
export class KnownClasses {
  private readonly found = new Map<string, Set<ArgumentClass>>();
  private readonly listed = new Map<string, Set<ArgumentClass>>();

  constructor(listed: readonly unknown[], modules: ModulesContainer) {
    for (const type of listed) add(this.listed, type);
    for (const [token, prototype] of prototypesIn(modules)) {
      add(this.found, token);
      add(this.found, prototype.constructor);
      for (const type of declaredTypes(prototype)) add(this.found, type);
    }
  }

  /** The classes that a recorded object may be an instance of; none for names of fewer than three letters. */
  candidatesFor(recorded: RecordedInstance): readonly ArgumentClass[] {
    if (recorded.class.length < SHORTEST_NAME) return [];
    const known = this.listed.get(recorded.class) ?? this.found.get(recorded.class) ?? [];
    return [...known].filter((type) => matchesClass(recorded, type));
  }
}

/** Compares the names. If the recorded object had methods, the class must have some, and no private state. */
export function matchesClass(recorded: RecordedInstance, type: ArgumentClass): boolean {
  const { name, behaves, hidesState } = classTraits(type.prototype as object);
  return name === recorded.class && !(behaves && hidesState) && (behaves || !recorded.hasMethods);
}

function add(classes: Map<string, Set<ArgumentClass>>, type: unknown): void {
  if (!isClass(type)) return;
  const { name } = classTraits(type.prototype as object);
  classes.set(name, (classes.get(name) ?? new Set()).add(type));
}

/** Declared types of the constructor's and methods' parameters and results, own and inherited. */
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
