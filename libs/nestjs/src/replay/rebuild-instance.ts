import type { ArgumentClass } from './argument-types.js';
import { loadTransformer, optional, transformPlain } from './class-transformer.js';
import { isPlainObject } from './plain-data.js';

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
 * Plain data as an instance of a class, by class-transformer; unchanged where that is not installed, for a class that
 * needs constructor arguments and is no validated DTO, and for what is an instance already. An instance is validated by
 * class-validator, where that is installed.
 */
export async function rebuildInstance(
  type: ArgumentClass,
  value: object,
  mismatch: (problem: string, cause?: unknown) => Error,
): Promise<object> {
  const validator = await optional(() => import('class-validator') as Promise<unknown> as Promise<Validator>);
  const isValidated =
    validator !== undefined &&
    validator.getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length > 0;
  const instance = value instanceof type ? value : await makeInstance(type, value, isValidated, mismatch);
  if (!isValidated || !(instance instanceof type)) return instance;
  const violations = await validator.validate(instance, { forbidUnknownValues: false });
  if (violations.length > 0) throw mismatch(violations.flatMap(describeViolation).slice(0, 3).join('; '));
  return instance;
}

async function makeInstance(
  type: ArgumentClass,
  value: object,
  isValidated: boolean,
  mismatch: (problem: string, cause?: unknown) => Error,
): Promise<object> {
  const transformer = isPlainObject(value) ? await loadTransformer() : undefined;
  if (transformer === undefined || (type.length > 0 && !isValidated)) return value;
  try {
    return transformPlain(transformer, type, value);
  } catch (error) {
    throw mismatch(`making a ${type.name} of it failed`, error);
  }
}

function describeViolation({ constraints = {}, children = [], property }: Violation): string[] {
  const nested = children.flatMap(describeViolation).map((problem) => `${property}: ${problem}`);
  return [...Object.values(constraints), ...nested];
}
