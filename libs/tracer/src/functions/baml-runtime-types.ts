import type { BamlPackage } from '../adapters/baml/baml-types.js';

/** Structural types for the parts of `@boundaryml/baml` that native functions use. */
export interface BamlFunctionPackage extends BamlPackage {
  readonly BamlRuntime: {
    fromFiles(root: string, files: Record<string, string>, env: Record<string, string>): BamlFunctionRuntime;
  };
  readonly ClientRegistry: new () => BamlClientRegistry;
  toBamlError(error: unknown): Error;
  setLogLevel?(level: string): void;
}

export interface BamlFunctionRuntime {
  createContextManager(): unknown;
  callFunction(
    name: string,
    args: object,
    context: unknown,
    typeBuilder: undefined,
    clients: BamlClientRegistry | undefined,
    collectors: unknown[],
    tags: Record<string, string>,
    env: Record<string, string>,
    signal: AbortSignal | undefined,
    watchers: undefined,
  ): Promise<{ parsed(allowPartials: boolean): unknown }>;
}

export interface BamlClientRegistry {
  addLlmClient(name: string, provider: string, options: Record<string, unknown>): void;
  setPrimary(name: string): void;
}
