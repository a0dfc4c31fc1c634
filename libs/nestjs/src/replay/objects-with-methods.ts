import type { RecordedInstance } from '@dacapo/tracer/internal';
import { ReplayClassError } from './errors.js';
import { reachableObjects } from './plain-data.js';

/** Recorded objects whose classes had methods. No method is called with one that is still its data alone. */
export class ObjectsWithMethods {
  private readonly needed: readonly [object, RecordedInstance][];

  /** @param args what `adaptInput` made of the recorded arguments: an object that it left out is not needed */
  constructor(
    private readonly method: string,
    args: readonly unknown[],
    instances: ReadonlyMap<object, RecordedInstance>,
  ) {
    const withMethods = [...instances].filter(([, { hasMethods }]) => hasMethods);
    const reached = withMethods.length > 0 ? reachableObjects(args) : new Set();
    this.needed = withMethods.filter(([object]) => reached.has(object));
  }

  /** @throws ReplayClassError when one of them has not been made of its class */
  assertMade(made: ReadonlyMap<object, object>): void {
    this.refuseFirst(
      (object) => !made.has(object),
      'no class of that name, with methods and without private state, is declared there',
    );
  }

  /** @throws ReplayClassError when one of them got lost on the way, as where a schema copied its data */
  assertGiven(made: ReadonlyMap<object, object>, args: readonly unknown[]): void {
    if (this.needed.length === 0) return;
    const given: ReadonlySet<unknown> = reachableObjects(args);
    this.refuseFirst(
      (object) => !given.has(made.get(object)),
      'a schema or a @Transform made something else of it',
    );
  }

  private refuseFirst(isWithout: (object: object) => boolean, problem: string): void {
    const first = this.needed.find(([object]) => isWithout(object));
    if (first !== undefined)
      throw new ReplayClassError(this.method, first[1].pointer, first[1].class, problem);
  }
}
