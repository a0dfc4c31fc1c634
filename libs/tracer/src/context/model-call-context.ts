import { AsyncLocalStorage } from 'node:async_hooks';
import type { ModelCallOptions } from '../options/model-call-options.js';

const KEY = Symbol.for('@dacapo/model-call-options');

/** Created on first use, so that applications without such options pay nothing. */
const globals: typeof globalThis & { [KEY]?: AsyncLocalStorage<ModelCallOptions> | undefined } = globalThis;

/** The options for model requests of the running code. */
export function currentModelCallOptions(): ModelCallOptions | undefined {
  return globals[KEY]?.getStore();
}

/** Runs `work` with these options, which override outer ones. */
export function runWithModelCallOptions<T>(options: ModelCallOptions, work: () => T): T {
  const storage = (globals[KEY] ??= new AsyncLocalStorage());
  return storage.run(mergeModelCallOptions(storage.getStore(), options), work);
}

/** Inner options win; metadata and tags are merged. */
export function mergeModelCallOptions(
  far: ModelCallOptions | undefined,
  near: ModelCallOptions,
): ModelCallOptions {
  if (far === undefined) return near;
  return {
    name: near.name ?? far.name,
    provider: near.provider ?? far.provider,
    session: near.session ?? far.session,
    metadata:
      near.metadata && far.metadata ? { ...far.metadata, ...near.metadata } : (near.metadata ?? far.metadata),
    tags: [...(far.tags ?? []), ...(near.tags ?? [])],
    capture: {
      input: near.capture?.input ?? far.capture?.input,
      output: near.capture?.output ?? far.capture?.output,
      chunks: near.capture?.chunks ?? far.capture?.chunks,
    },
  };
}
