import type { FunctionVersionRecord } from '@dacapo/protocol';
import { CallRecording } from '../adapters/baml/call-recording.js';
import { loadedBamlPackages, requireBamlPackage } from '../adapters/baml/load-baml.js';
import type { ErrorReporter } from '../diagnostics/error-reporter.js';
import { sha256 } from '../hashing.js';
import type { CallOptions, ResolvedClient } from '../options/call-options.js';
import { currentRecordingFrame } from '../recording/recording-frame.js';
import type { Recorder } from '../recording/recorder.js';
import type { ServiceClient } from '../service/service-client.js';
import type { BamlClientRegistry, BamlFunctionPackage, BamlFunctionRuntime } from './baml-runtime-types.js';
import {
  FunctionEnvVarMissingError,
  FunctionFailedError,
  FunctionInputError,
  FunctionRuntimeMissingError,
  FunctionSourceError,
} from './errors.js';
import { FunctionCatalogue } from './function-catalogue.js';
import { parseParameters } from './parameters.js';
import { errorMessage, toRuntimeError } from './runtime-errors.js';
import { missingKey } from './usual-keys.js';

export interface NativeFunctionParts {
  readonly service: ServiceClient;
  readonly envVars: Readonly<Record<string, string>>;
  /** Absent while tracing is off; calls still run. */
  readonly recorder: Recorder | undefined;
  readonly reporter: ErrorReporter;
}

/** Runs native functions in this process. The service supplies the source, `envVars` the keys. */
export class FunctionRunner {
  /** Private, so that printing it does not show the keys of providers. */
  readonly #parts: NativeFunctionParts;
  private readonly compiled = new CompiledFunctions();
  private readonly catalogue: FunctionCatalogue;

  constructor(parts: NativeFunctionParts) {
    this.#parts = parts;
    const { service, recorder, reporter } = parts;
    this.catalogue = new FunctionCatalogue({
      service,
      nowMs: () => recorder?.nowMs() ?? performance.now(),
      onStale: (error) => {
        reporter.report(error);
      },
    });
  }

  async run(
    name: string,
    input: object,
    client: ResolvedClient | undefined,
    { version, signal }: CallOptions,
  ): Promise<unknown> {
    const found = await this.catalogue.get(name, version);
    refuseUnknown(name, input, parseParameters(found.source, found.entry));
    const baml = this.compiled.package(name);
    const runtime = this.compiled.runtime(found);
    const registry = client && createRegistry(baml, name, client);
    const { envVars, recorder } = this.#parts;
    const isNamed = client !== undefined && client.client === undefined;
    const lacking = isNamed ? undefined : missingKey(found.source, found.entry, client?.client, envVars);
    if (lacking !== undefined) throw new FunctionEnvVarMissingError(name, lacking);

    const span = recorder && currentRecordingFrame()?.span;
    span?.addContext({ function: name, version: found.version });
    const collector = new baml.Collector();
    const recording = span && new CallRecording(span, collector);
    try {
      const result = await runtime.callFunction(
        found.entry,
        input,
        runtime.createContextManager(),
        undefined,
        registry,
        [collector],
        {},
        { ...envVars },
        signal,
        undefined,
      );
      return result.parsed(false);
    } catch (error) {
      signal?.throwIfAborted();
      throw toRuntimeError(baml, name, error);
    } finally {
      recording?.end();
    }
  }
}

/** Refuses unknown parameters. The runtime ignores them, so a misspelt optional parameter would be dropped silently. */
function refuseUnknown(name: string, input: object, parameters: readonly string[] | undefined): void {
  const unknown = parameters && Object.keys(input).find((key) => !parameters.includes(key));
  if (unknown === undefined) return;
  const takes = parameters?.length === 0 ? 'nothing' : parameters?.join(', ');
  throw new FunctionInputError(name, unknown, `is not declared. Declared: ${takes ?? ''}`);
}

function createRegistry(
  baml: BamlFunctionPackage,
  functionName: string,
  { name, client }: ResolvedClient,
): BamlClientRegistry {
  const registry = new baml.ClientRegistry();
  try {
    if (client !== undefined) {
      registry.addLlmClient(name, client.provider, { ...client.options, model: client.model });
    }
    registry.setPrimary(name);
  } catch (error) {
    throw new FunctionFailedError(functionName, errorMessage(error), error);
  }
  return registry;
}

const RUNTIMES_KEPT = 50;

/**
 * Compiles each source once.
 *
 * A runtime remembers the last key that it received, so it must serve only one set of keys: those of one tracer, which never change.
 */
class CompiledFunctions {
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

/** Loads the runtime and turns off its log, which prints prompts and answers to the application's stdout. */
function loadPackage(functionName: string): BamlFunctionPackage {
  const isInUse = loadedBamlPackages().length > 0;
  const found = requireBamlPackage() as BamlFunctionPackage | undefined;
  if (found === undefined) throw new FunctionRuntimeMissingError(functionName);
  if (!isInUse && process.env['BAML_LOG'] === undefined) found.setLogLevel?.('OFF');
  return found;
}
