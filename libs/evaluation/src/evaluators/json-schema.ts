import type { Ajv, ValidateFunction } from 'ajv';
import type { Ajv2019 } from 'ajv/dist/2019.js';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { InvalidArgumentError } from '../errors.js';
import { type Evaluator, named } from './evaluator.js';

export interface JsonSchemaOptions {
  /** Default: `jsonSchema`. */
  name?: string;
  /** The output is JSON text; invalid JSON fails. Default: `false`. */
  isText?: boolean;
}

/**
 * Passes if the output matches a JSON Schema of draft 7, or of 2019-09 or 2020-12 if `$schema` says so. `format` is not checked. Ajv is
 * loaded with the first output and compiles the schema to code.
 *
 * @throws InvalidArgumentError when the schema is not an object; an otherwise invalid schema makes every item an error
 */
export function jsonSchema(
  schema: object,
  { name = 'jsonSchema', isText = false }: JsonSchemaOptions = {},
): Evaluator {
  if (typeof schema !== 'object')
    throw new InvalidArgumentError('schema', 'must be an object', 'Pass a JSON Schema.');
  let compiled: Promise<ValidateFunction> | undefined;
  return named(name, async (context) => {
    if ('error' in context) return false;
    const validate = await (compiled ??= compile(schema));
    const output = isText ? parse(context.output) : { value: context.output };
    if (output === undefined) return { score: false, explanation: 'It is not JSON.' };
    if (validate(output.value)) return true;
    const problems = validate.errors?.map(({ instancePath, message = '' }) => `$${instancePath} ${message}`);
    return { score: false, explanation: (problems ?? []).slice(0, 5).join('; ') };
  });
}

const OPTIONS = { allErrors: true, strict: false, validateFormats: false };

type AjvClass = typeof Ajv | typeof Ajv2019 | typeof Ajv2020;

/** One per dialect, shared to check schemas, because compiling the meta-schema is slow. */
const checkers = new Map<AjvClass, Ajv | Ajv2019 | Ajv2020>();

async function compile(schema: object): Promise<ValidateFunction> {
  const Dialect = await loadDialect('$schema' in schema ? String(schema.$schema) : '');
  const checker = checkers.get(Dialect) ?? new Dialect(OPTIONS);
  checkers.set(Dialect, checker);
  await checker.validateSchema(schema, true);
  return new Dialect({ ...OPTIONS, validateSchema: false }).compile(schema);
}

async function loadDialect(name: string): Promise<AjvClass> {
  if (name.includes('2020-12')) return unwrapDefault(await import('ajv/dist/2020.js')).Ajv2020;
  if (name.includes('2019-09')) return unwrapDefault(await import('ajv/dist/2019.js')).Ajv2019;
  return unwrapDefault(await import('ajv')).Ajv;
}

/** ES modules bundled by esbuild see CommonJS packages such as Ajv as a default export only. */
function unwrapDefault<M extends object>(module: M): M {
  const { default: whole } = module as { default?: M };
  return typeof whole === 'function' ? whole : module;
}

function parse(text: unknown): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(String(text)) as unknown };
  } catch {
    return undefined;
  }
}
