import { CallRecording } from '../adapters/baml/call-recording.js';
import type { ErrorReporter } from '../diagnostics/error-reporter.js';
import type { CallOptions, ResolvedClient } from '../options/call-options.js';
import { currentRecordingFrame } from '../recording/recording-frame.js';
import type { Recorder } from '../recording/recorder.js';
import type { ServiceClient } from '../service/service-client.js';
import type { BamlClientRegistry, BamlFunctionPackage } from './baml-runtime-types.js';
import { CompiledFunctions } from './compiled-functions.js';
import { FunctionEnvVarMissingError, FunctionFailedError, FunctionInputError } from './errors.js';
import { FunctionCatalogue } from './function-catalogue.js';
import { parseParameters } from './parameters.js';
import { errorMessage, toRuntimeError } from './runtime-errors.js';
import { missingKey } from './usual-keys.js';

export interface NativeFunctionParts {
  readonly service: ServiceClient;
  readonly envVars: Readonly<Record<string, string>>;
  /** Absent while tracing is off: calls run all the same. */
  readonly recorder: Recorder | undefined;
  readonly reporter: ErrorReporter;
}

/** Runs native functions: their source comes from the service, the keys from `envVars`, the call goes out from here. */
export class FunctionRunner {
  /** Not shown when it is printed: it holds the keys of providers. */
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

/** The runtime passes over what it does not know: a misspelt optional parameter would be left out in silence. */
function refuseUnknown(name: string, input: object, parameters: readonly string[] | undefined): void {
  const unknown = parameters && Object.keys(input).find((key) => !parameters.includes(key));
  if (unknown === undefined) return;
  const takes = parameters?.length === 0 ? 'nothing' : parameters?.join(', ');
  throw new FunctionInputError(name, unknown, `is not declared: the function takes ${takes ?? ''}`);
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
