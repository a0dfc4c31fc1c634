import { type ArgumentClass, type ArgumentType, argumentTypesOf } from './argument-types.js';
import { rebuildInstance } from './rebuild-instance.js';
import { ReplayInputError } from './errors.js';
import { describeIssues } from './standard-schema.js';

/** Types that a value carries itself, by what `emitDecoratorMetadata` says. */
const PRIMITIVES = new Map<unknown, string>([
  [String, 'string'],
  [Number, 'number'],
  [Boolean, 'boolean'],
  [BigInt, 'bigint'],
]);

/** Rebuilt by the tracer, or nothing that says what a value must be. */
const BUILT_IN = new Set<unknown>([
  Object,
  Function,
  Promise,
  Symbol,
  Array,
  Map,
  Set,
  Date,
  RegExp,
  URL,
  Buffer,
]);

/**
 * The recorded arguments as the method takes them today: plain data becomes the class that is declared for it, and is
 * validated, where class-transformer, class-validator or a schema is there.
 *
 * @throws ReplayInputError when an argument does not fit
 */
export async function rebuildArguments(
  prototype: object,
  method: string,
  args: readonly unknown[],
): Promise<unknown[]> {
  const types = argumentTypesOf(prototype, method);
  const name = `${prototype.constructor.name}.${method}`;
  return Promise.all(
    args.map((value, index) => {
      const type = types[index];
      if (type === undefined || value === undefined || value === null) return value;
      return rebuildArgument(
        type,
        value,
        (problem, cause) => new ReplayInputError(name, index, problem, cause),
      );
    }),
  );
}

async function rebuildArgument(
  { declared, schema }: ArgumentType,
  value: unknown,
  mismatch: (problem: string, cause?: unknown) => ReplayInputError,
): Promise<unknown> {
  if (schema !== undefined) {
    const result = await schema['~standard'].validate(value);
    if (result.issues !== undefined) throw mismatch(describeIssues(result.issues));
    return result.value;
  }
  const primitive = PRIMITIVES.get(declared);
  if (primitive !== undefined) {
    if (typeof value === primitive) return value;
    throw mismatch(`it is a ${typeof value}, a ${primitive} is wanted`);
  }
  if (declared === Array && !Array.isArray(value))
    throw mismatch(`it is a ${typeof value}, an array is wanted`);
  if (declared === Date && !(value instanceof Date))
    throw mismatch(`it is a ${typeof value}, a Date is wanted`);
  if (typeof declared !== 'function' || BUILT_IN.has(declared)) return value;
  if (typeof value !== 'object' || value === null)
    throw mismatch(`it is a ${typeof value}, a ${declared.name} is wanted`);
  return rebuildInstance(declared as ArgumentClass, value, mismatch);
}
