import type { TracerError } from '../errors.js';
import type { BamlFunctionPackage } from './baml-runtime-types.js';
import {
  FunctionEnvVarMissingError,
  FunctionFailedError,
  FunctionInputError,
  FunctionOutputError,
  FunctionProviderError,
} from './errors.js';

/** Members of a runtime error. Its class may come from another realm, so its name identifies it. */
interface RuntimeError {
  readonly name?: string;
  readonly status_code?: number;
  readonly raw_output?: string;
}

/** Converts a thrown value of the runtime to our error. */
export function toRuntimeError(
  baml: BamlFunctionPackage,
  functionName: string,
  thrown: unknown,
): TracerError {
  const error: RuntimeError = baml.toBamlError(thrown);
  const text = errorMessage(error);
  const envVar = /requires environment variable '(\w+)'/.exec(text)?.[1];
  if (envVar !== undefined) return new FunctionEnvVarMissingError(functionName, envVar, error);
  switch (error.name) {
    case 'BamlInvalidArgumentError': {
      const [, parameter, problem] = /Error: (\w+): ([^\n]*)/.exec(text) ?? [];
      if (parameter === undefined) break;
      return new FunctionInputError(functionName, parameter, describe(problem ?? ''), error);
    }
    case 'BamlClientHttpError':
    case 'BamlTimeoutError':
      return new FunctionProviderError(functionName, error.status_code, firstLine(text), error);
    case 'BamlValidationError':
      return new FunctionOutputError(functionName, error.raw_output, error);
  }
  return new FunctionFailedError(functionName, firstLine(text), error);
}

/** Returns the runtime's message without its prefixes and stack. */
export function errorMessage(error: unknown): string {
  const message = error instanceof Error || hasMessage(error) ? String(error.message) : String(error);
  return (message.split('\n\nStack backtrace:')[0] ?? message).replace(/^(Baml\w*Error: )+/, '').trim();
}

function hasMessage(error: unknown): error is { message: unknown } {
  return typeof error === 'object' && error !== null && 'message' in error;
}

function describe(problem: string): string {
  if (problem.startsWith('Missing required')) return 'is missing';
  // Of a union the runtime prints its inner form; what was got is all that helps.
  const [, expected, got] = /^Expected (?:type )?(\w+)?.*?, got `?(.*?)`?$/.exec(problem) ?? [];
  if (got === undefined) return 'does not have the declared type';
  return expected === undefined || expected === 'one'
    ? `does not have the declared type; it is ${got}`
    : `must be a ${expected}, not ${got}`;
}

function firstLine(text: string): string {
  const line = text.split('\n')[0] ?? text;
  return (line.length > 300 ? `${line.slice(0, 300)}…` : line).replace(/[.:]$/, '');
}
