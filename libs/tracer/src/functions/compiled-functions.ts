import type { FunctionVersionRecord } from '@dacapo/protocol';
import { loadedBamlPackages, requireBamlPackage } from '../adapters/baml/load-baml.js';
import { sha256 } from '../hashing.js';
import type { BamlFunctionPackage, BamlFunctionRuntime } from './baml-runtime-types.js';
import { FunctionRuntimeMissingError, FunctionSourceError } from './errors.js';
import { errorMessage } from './runtime-errors.js';

const RUNTIMES_KEPT = 50;

/**
 * Sources compiled, each once.
 *
 * A runtime remembers the last key that it was given, so it must never serve two sets of keys: these belong to one
 * tracer, whose keys never change.
 */
export class CompiledFunctions {
  private readonly runtimes = new Map<string, BamlFunctionRuntime>();
  private baml: BamlFunctionPackage | undefined;

  /** @throws FunctionRuntimeMissingError */
  package(functionName: string): BamlFunctionPackage {
    return (this.baml ??= loadPackage(functionName));
  }

  /** @throws FunctionRuntimeMissingError, FunctionSourceError */
  runtime({ name, version, source }: FunctionVersionRecord): BamlFunctionRuntime {
    const hash = sha256(source);
    const runtime = this.runtimes.get(hash) ?? this.compile(name, version, source);
    this.runtimes.delete(hash);
    this.runtimes.set(hash, runtime);
    const [oldest] = this.runtimes.keys();
    if (this.runtimes.size > RUNTIMES_KEPT && oldest !== undefined) this.runtimes.delete(oldest);
    return runtime;
  }

  private compile(name: string, version: number, source: string): BamlFunctionRuntime {
    const { BamlRuntime } = this.package(name);
    try {
      return BamlRuntime.fromFiles('/dacapo', { [`${name}.baml`]: source }, {});
    } catch (error) {
      throw new FunctionSourceError(name, version, errorMessage(error), error);
    }
  }
}

/** Prompts and answers must not appear on the application's stdout, where the runtime writes them by default. */
function loadPackage(functionName: string): BamlFunctionPackage {
  const isInUse = loadedBamlPackages().length > 0;
  const found = requireBamlPackage() as BamlFunctionPackage | undefined;
  if (found === undefined) throw new FunctionRuntimeMissingError(functionName);
  if (!isInUse && process.env['BAML_LOG'] === undefined) found.setLogLevel?.('OFF');
  return found;
}
