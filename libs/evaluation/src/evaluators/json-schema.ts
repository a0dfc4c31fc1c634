import type { ValidateFunction } from 'ajv';
import { InvalidArgumentError } from '../errors.js';
import { type Evaluator, named } from './evaluator.js';

export interface JsonSchemaOptions {
  /** Default: `jsonSchema`. */
  name?: string;
  /** The output is JSON as text; text that is no JSON does not fit. Default: `false`. */
  isText?: boolean;
}

/**
 * Whether the output fits a JSON Schema: of draft 7, or of 2019-09 or 2020-12 where `$schema` says so. `format` is not
 * checked. Ajv is loaded when the first output is judged, and compiles the schema to code.
 *
 * @throws InvalidArgumentError when it is no object; a schema that is wrong inside fails every item
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
    if (output === undefined) return { score: false, explanation: 'It is no JSON.' };
    if (validate(output.value)) return true;
    const told = validate.errors?.map(({ instancePath, message = '' }) => `$${instancePath} ${message}`);
    return { score: false, explanation: (told ?? []).slice(0, 5).join('; ') };
  });
}

async function compile(schema: object): Promise<ValidateFunction> {
  const dialect = '$schema' in schema ? String(schema.$schema) : '';
  const options = { allErrors: true, strict: false, validateFormats: false };
  if (/2019-09|2020-12/.test(dialect)) {
    const { Ajv2020 } = await import('ajv/dist/2020.js');
    const { Ajv2019 } = await import('ajv/dist/2019.js');
    return new (dialect.includes('2020-12') ? Ajv2020 : Ajv2019)(options).compile(schema);
  }
  const { Ajv } = await import('ajv');
  return new Ajv(options).compile(schema);
}

function parse(text: unknown): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(String(text)) as unknown };
  } catch {
    return undefined;
  }
}
