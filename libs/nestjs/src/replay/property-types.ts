/** A class as `emitDecoratorMetadata` leaves it for a parameter or a property. */
export type ArgumentClass = new (...args: never[]) => object;

/** What `@Type` of class-transformer left for a property. */
interface TypeMetadata {
  readonly typeFunction?: ((options: object) => unknown) | undefined;
  readonly reflectedType?: unknown;
  readonly options?: {
    readonly discriminator?: { readonly subTypes?: readonly { readonly value: unknown }[] } | undefined;
  };
}

export interface TypeStorage {
  findTypeMetadata(type: unknown, property: string): TypeMetadata | undefined;
}

/** What a property may be an instance of, as far as decorators tell; for a list, what its items may be. */
export interface PropertyTypes {
  /** What `@Type` names; `undefined` where it leaves the choice to a discriminator. */
  readonly named: unknown;
  /** All that may stand there: of `@Type`, its subtypes, and the type that TypeScript declared. */
  readonly candidates: readonly ArgumentClass[];
}

export function propertyTypesOf(
  storage: TypeStorage | undefined,
  type: ArgumentClass,
  property: string,
  object: object,
): PropertyTypes {
  const metadata = storage?.findTypeMetadata(type, property);
  const named = metadata?.typeFunction?.({ newObject: object, object, property }) ?? metadata?.reflectedType;
  const subTypes = metadata?.options?.discriminator?.subTypes;
  const declared: unknown = Reflect.getMetadata('design:type', type.prototype as object, property);
  const candidates = [...(subTypes ?? []).map(({ value }) => value), named, declared];
  return { named: subTypes === undefined ? named : undefined, candidates: candidates.filter(isClass) };
}

export function isClass(value: unknown): value is ArgumentClass {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}
