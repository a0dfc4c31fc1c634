import { decode, readValue } from '@dacapo/protocol';
import { type AnyFunction, readTracedKey, whyNotReplayable, withFileCodecs } from '@dacapo/tracer/engine';
import type { RecordedRoot } from '../cassette/to-recorded-calls.js';
import { CassetteSetupError } from '../errors.js';

/** The recorded arguments, made anew. @throws CassetteSetupError if a part of them is not recorded */
export function decodeArguments({ key, call }: RecordedRoot): unknown[] {
  const { input = [], meta } = call;
  if (meta?.replayable === false || meta?.source === 'otlp') {
    const { problem, cure } = whyNotReplayable(meta);
    throw new CassetteSetupError(
      `The recorded arguments of ${JSON.stringify(key)} cannot be restored: ${problem}. ${cure}`,
    );
  }
  const node = readValue({ json: structuredClone(input), meta: meta?.input });
  return decode(node, withFileCodecs()) as unknown[];
}

/** @throws CassetteSetupError if a module exports no wrapped function with the key, or several */
export function findFunction(fn: AnyFunction | object, key: string): AnyFunction {
  if (typeof fn === 'function') return fn as AnyFunction;
  const found = new Set(listFunctions(fn).filter((exported) => readTracedKey(exported) === key));
  const [only] = found;
  if (only !== undefined && found.size === 1) return only;
  throw new CassetteSetupError(
    `The module exports ${found.size === 0 ? 'no function' : `${found.size} functions`} with the key ${JSON.stringify(key)}. Pass the function itself to tape.replay.`,
  );
}

/** Includes members of a default export, which is what `import *` makes of a CommonJS module. */
function listFunctions(module: object): AnyFunction[] {
  const { default: main } = module as { readonly default?: unknown };
  const members: unknown[] = typeof main === 'object' && main !== null ? Object.values(main) : [];
  const exported: unknown[] = Object.values(module);
  return [...exported, ...members].filter((value): value is AnyFunction => typeof value === 'function');
}
