import { basename } from 'node:path';
import { inspect } from 'node:util';
import { nearestName } from '@dacapo/protocol';
import type { EvalData, EvaluateOptions } from '@dacapo/tracer';
import type { TracerPackage } from '../replay/application-tracer.js';
import type { LoadedModule } from '../replay/load-module.js';
import { EvalFileError } from './errors.js';

type AnyFunction = (...args: unknown[]) => unknown;

/** One column of the grid. */
interface EvalVariant {
  /** Empty for the function of a file without variants. */
  readonly name: string;
  readonly fn: AnyFunction;
}

/** The content of an eval file. */
export interface EvalPlan {
  /** The file as named on the command line. */
  readonly file: string;
  readonly name: string;
  readonly variants: readonly EvalVariant[];
  readonly data: EvalData;
  /** Options of `tracer.evaluate`, which validates them. */
  readonly options: Omit<EvaluateOptions, 'data'>;
}

/** Names of these fields in other evaluation tools. */
const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  task: 'function',
  fn: 'function',
  scorers: 'evaluators',
  scores: 'evaluators',
  trialCount: 'repeat',
  concurrency: 'maxConcurrency',
  timeout: 'timeoutMs',
  prompts: 'variants',
  tests: 'data',
};

const EXAMPLE =
  "Write it like: export default { data: [{ input: 'late', expected: 'delivery' }], function: classify };";

/**
 * Reads the default export of an eval file.
 *
 * @param fields the allowed names
 * @throws EvalFileError when it has no function or no data, or an unknown field
 */
export function readEval(
  { name: file, main }: LoadedModule,
  fields: readonly string[],
  { readTracedKey }: Pick<TracerPackage, 'readTracedKey'>,
): EvalPlan {
  if (typeof main !== 'object' || main === null || Object.keys(main).length === 0)
    throw new EvalFileError(file, 'has no default export that defines an evaluation', EXAMPLE);
  const { function: fn, variants, data, name, ...options } = main as Record<string, unknown>;
  const unknown = Object.keys(main).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    const near = FOREIGN_NAMES[unknown] ?? nearestName(unknown, fields);
    const cure = near === undefined ? `Use one of ${fields.join(', ')}.` : `Did you mean "${near}"?`;
    throw new EvalFileError(file, `unknown field "${unknown}"`, cure);
  }
  if (data === undefined || data === null) throw new EvalFileError(file, 'data is missing', EXAMPLE);
  if (fn !== undefined && !isFunction(fn))
    throw new EvalFileError(file, `function must be a function, not ${describeType(fn)}`, EXAMPLE);
  if (name !== undefined && (typeof name !== 'string' || name.trim() === ''))
    throw new EvalFileError(
      file,
      'name must be a string that is not blank',
      'Without a name, the eval has the name of its file.',
    );
  const evalName = typeof name === 'string' ? name : basename(file).replace(/(\.eval)?\.[mc]?[jt]s$/, '');
  const key = chooseKey({ fn, data, options, evalName }, readTracedKey);
  return {
    file,
    name: evalName,
    variants: readVariants(file, fn, variants, { mock: options['mock'], readTracedKey }),
    data: data as EvalData,
    options: { ...options, key },
  };
}

function readVariants(
  file: string,
  fn: AnyFunction | undefined,
  variants: unknown,
  { mock = 'none', readTracedKey }: Pick<TracerPackage, 'readTracedKey'> & { mock: unknown },
): EvalVariant[] {
  if (variants === undefined) {
    if (fn === undefined) throw new EvalFileError(file, 'function is missing', EXAMPLE);
    return [{ name: '', fn }];
  }
  if (
    typeof variants !== 'object' ||
    variants === null ||
    Array.isArray(variants) ||
    Object.keys(variants).length === 0
  )
    throw new EvalFileError(
      file,
      'variants must be an object with at least one named variant',
      "Write it like { short: { prompt: 'Be short.' }, polite: { prompt: 'Be polite.' } }.",
    );
  return Object.entries(variants).map(([name, variant]: [string, unknown]) => {
    if (isFunction(variant)) return { name, fn: variant };
    if (fn === undefined)
      throw new EvalFileError(
        file,
        `variants.${name} is ${describeType(variant)}, but there is no function to pass it to`,
        'Add function: (input, variant) => …, or make each variant a function.',
      );
    if (mock !== 'none' && readTracedKey(fn) !== undefined)
      throw new EvalFileError(
        file,
        `mock is ${JSON.stringify(mock)}, and variants call a function that withSpan wrapped`,
        'Pass the function without withSpan, or make each variant a function.',
      );
    return { name, fn: (...args) => fn(...args, variant) };
  });
}

/** The key that calls are recorded under. Variants that are wrapped functions keep their own. */
function chooseKey(
  {
    fn,
    data,
    options: { key },
    evalName,
  }: { fn: AnyFunction | undefined; data: unknown; options: Record<string, unknown>; evalName: string },
  readTracedKey: TracerPackage['readTracedKey'],
): string {
  if (typeof key === 'string') return key;
  const ofData: unknown = typeof data === 'object' && data !== null && 'key' in data ? data.key : undefined;
  if (typeof ofData === 'string') return ofData;
  if (fn === undefined) return evalName;
  // An anonymous function gets the name of its field, `function`.
  return readTracedKey(fn) ?? (fn.name === '' || fn.name === 'function' ? evalName : fn.name);
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

function describeType(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : inspect(value);
}
