/** A class in the metadata of a parameter or a property (`emitDecoratorMetadata`). */
export type ArgumentClass = new (...args: never[]) => object;

/** Metadata of class-transformer's `@Type`. */
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

/** The classes that decorators declare for a property, or for the items of a list. */
export interface PropertyTypes {
  /** The class in `@Type`; `undefined` if a discriminator chooses the class. */
  readonly named: unknown;
  /** The subtypes and the class of `@Type`, and the type that TypeScript declared. */
  readonly candidates: readonly ArgumentClass[];
}

export function findPropertyTypes(
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
