import { classTraits, type RecordedInstance } from '@dacapo/tracer/internal';
import type { ArgumentClass, ArgumentType } from './argument-types.js';
import { loadTransformer, loadTypeStorage } from './class-transformer.js';
import { ReplayInputError } from './errors.js';
import { ObjectsWithMethods } from './objects-with-methods.js';
import { defineData, isPlainObject } from './plain-data.js';
import { isClass } from './property-types.js';
import { rebuildInstance } from './rebuild-instance.js';
import { InstanceRestorer } from './restore-instances.js';
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
 * The recorded arguments as the method takes them today: recorded objects of classes get their classes again, other
 * plain data becomes the class that is declared for it, and is validated, where class-transformer, class-validator or a
 * schema is there.
 *
 * @param name of the method, for errors
 * @param instances what stands for objects of classes in `args`
 * @throws ReplayInputError when an argument does not fit
 * @throws ReplayClassError when an object that had methods cannot be made of its class
 */
export async function rebuildArguments(
  name: string,
  types: readonly ArgumentType[],
  args: readonly unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
): Promise<unknown[]> {
  const withMethods = new ObjectsWithMethods(name, args, instances);
  const { restored, made } = await restoreInstances(types, args, instances);
  withMethods.assertMade(made);
  const instancesMade = new Set(made.values());
  const rebuilt = await Promise.all(
    restored.map((value, index) => {
      const type = types[index];
      if (type === undefined || value === undefined || value === null) return value;
      return rebuildArgument(
        type,
        value,
        (object) => instancesMade.has(object),
        (problem, cause) => new ReplayInputError(name, index, problem, cause),
      );
    }),
  );
  withMethods.assertGiven(made, rebuilt);
  return rebuilt;
}

async function restoreInstances(
  types: readonly ArgumentType[],
  args: readonly unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
): Promise<{ restored: readonly unknown[]; made: ReadonlyMap<object, object> }> {
  if (instances.size === 0) return { restored: args, made: new Map() };
  const [transformer, storage] = await Promise.all([loadTransformer(), loadTypeStorage()]);
  const restorer = new InstanceRestorer({ instances, transformer, storage });
  const restored = restorer.restoreArguments(
    args,
    types.map(({ declared }) => declared),
  );
  return { restored, made: restorer.made };
}

async function rebuildArgument(
  { declared, schema }: ArgumentType,
  value: unknown,
  isRestored: (value: object) => boolean,
  mismatch: (problem: string, cause?: unknown) => ReplayInputError,
): Promise<unknown> {
  if (schema !== undefined) {
    const result = await schema['~standard'].validate(value);
    if (result.issues !== undefined) throw mismatch(describeIssues(result.issues));
    return isClass(declared) && value instanceof declared
      ? asInstance(declared, value, result.value, isRestored(value))
      : result.value;
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

/** Schemas give plain data for an instance too: then the instance is passed, one that was restored with that data. */
function asInstance(type: ArgumentClass, value: object, parsed: unknown, isRestored: boolean): unknown {
  if (typeof parsed !== 'object' || parsed === null || !isPlainObject(parsed)) return parsed;
  if (!isRestored) return classTraits(type.prototype as object).behaves ? value : parsed;
  for (const [key, member] of Object.entries(parsed)) defineData(value, key, member);
  return value;
}
