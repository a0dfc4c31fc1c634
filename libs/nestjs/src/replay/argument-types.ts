import { isStandardSchema, type StandardSchema } from './standard-schema.js';

/** A class as `emitDecoratorMetadata` leaves it for a parameter. */
export type ArgumentClass = (new (...args: never[]) => object) & { readonly schema?: unknown };

/** What is known of a method's parameters at run time. */
export interface ArgumentType {
  readonly declared: unknown;
  /** On the parameter (`@Body({ schema })` of Nest 12), or on its class (`createZodDto` of nestjs-zod). */
  readonly schema: StandardSchema | undefined;
}

interface RouteArgument {
  readonly index: number;
  readonly schema?: unknown;
}

/** The parameters of a decorated method, by position. */
export function argumentTypesOf(prototype: object, method: string): ArgumentType[] {
  const declared = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as unknown[];
  const routeArguments = Reflect.getMetadata('__routeArguments__', prototype.constructor, method) as
    Record<string, RouteArgument> | undefined;
  const schemas = new Map(
    Object.values(routeArguments ?? {}).map(({ index, schema }) => [index, schema] as const),
  );
  return declared.map((type, index) => {
    const schema = schemas.get(index) ?? (type as Partial<ArgumentClass> | undefined)?.schema;
    return { declared: type, schema: isStandardSchema(schema) ? schema : undefined };
  });
}
