import type { ArgumentClass } from './argument-types.js';

interface Transformer {
  plainToInstance(type: ArgumentClass, plain: object): object;
}
interface Validator {
  validate(instance: object, options: object): Promise<readonly Violation[]>;
  getMetadataStorage(): {
    getTargetValidationMetadatas(
      type: unknown,
      schema: string,
      always: boolean,
      strict: boolean,
    ): readonly unknown[];
  };
}
interface Violation {
  readonly property: string;
  readonly constraints?: Record<string, string>;
  readonly children?: readonly Violation[];
}

/**
 * Plain data as an instance of a class, by class-transformer, validated by class-validator; unchanged where those are not
 * installed, for a class that needs constructor arguments and is no validated DTO, and for what is an instance already.
 */
export async function rebuildInstance(
  type: ArgumentClass,
  value: object,
  mismatch: (problem: string, cause?: unknown) => Error,
): Promise<object> {
  if (value instanceof type || !isPlain(value)) return value;
  const transformer = await optional(() => import('class-transformer') as Promise<Transformer>);
  const validator = await optional(() => import('class-validator') as Promise<unknown> as Promise<Validator>);
  const isValidated =
    validator !== undefined &&
    validator.getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length > 0;
  if (transformer === undefined || (type.length > 0 && !isValidated)) return value;
  let instance: object;
  try {
    instance = transformer.plainToInstance(type, value);
  } catch (error) {
    throw mismatch(`making a ${type.name} of it failed`, error);
  }
  const violations = isValidated ? await validator.validate(instance, { forbidUnknownValues: false }) : [];
  if (violations.length > 0) throw mismatch(violations.flatMap(describeViolation).slice(0, 3).join('; '));
  return instance;
}

function describeViolation({ constraints = {}, children = [], property }: Violation): string[] {
  const nested = children.flatMap(describeViolation).map((problem) => `${property}: ${problem}`);
  return [...Object.values(constraints), ...nested];
}

/** Of whichever realm: test runners have several. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

async function optional<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch {
    return undefined;
  }
}
