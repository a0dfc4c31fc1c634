import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { exportedModules, startContext } from '../replay/exported-module.js';
import { loadModule, type LoadedModule } from '../replay/load-module.js';

/** A line of the result file. */
export interface ReplayedCassetteCall {
  /** The name of the cassette's file. */
  readonly cassette: string;
  /** From 0, in the order of the cassette. */
  readonly index: number;
}

type AnyFunction = (...args: never[]) => unknown;

/**
 * Replays every outermost call of cassettes through the project's code, and writes a line for each. The last line, `{"end":true}`, shows
 * that nothing is missing.
 *
 * @param words the result file, the module, the export or an empty text, and the cassettes
 */
export async function replayInChild(words: readonly string[]): Promise<void> {
  const [out = '', moduleName = '', exportName = '', ...files] = words;
  const write = (line: object): void => {
    appendFileSync(out, `${JSON.stringify(line)}\n`);
  };
  try {
    // Loaded before the application, whose tracer then records without a key.
    await import('@dacapo/testing');
    const { readCassette, replayRoot, toRecordedRoots } = await import('@dacapo/testing/internal');
    const entry = await loadModule(moduleName);
    const find = await openEntry(entry, exportName === '' ? undefined : exportName);
    for (const file of files)
      for (const [index, root] of toRecordedRoots(readCassette(file)).entries())
        write({ cassette: basename(file), index, ...(await replayRoot(root, await find(root.key))) });
    write({ end: true });
  } catch (error) {
    const { maskError } = await import('@dacapo/testing/internal');
    write({ failed: maskError(error) });
  }
  // The application may keep connections and timers.
  process.exit();
}

/** Finds functions of the entry by their key. Starts the application of a Nest module. */
async function openEntry(
  entry: LoadedModule,
  exportName: string | undefined,
): Promise<(key: string) => AnyFunction | Promise<AnyFunction>> {
  const [module] = (await exportedModules(entry, { exportName })).values();
  if (module === undefined) {
    const { findFunction } = await import('@dacapo/testing/internal');
    const named = exportName === undefined ? undefined : entry.exports.get(exportName);
    const members = typeof named === 'function' ? { named } : Object.fromEntries(entry.exports);
    return (key) => findFunction(members, key);
  }
  const { app, replays } = await startContext(entry, module);
  return async (key) => {
    const found = replays.methods().find((method) => method.key === key);
    if (found === undefined)
      throw new Error(`No provider or controller of ${entry.name} has the key ${JSON.stringify(key)}.`);
    // A provider of a request scope is made for the call.
    const instance = await Promise.resolve()
      .then(() => app.get(found.token, { strict: false }))
      .catch(() => app.resolve(found.token, undefined, { strict: false }));
    return (...args: never[]): unknown =>
      Reflect.apply<unknown, never[], unknown>(instance[found.method] as AnyFunction, instance, args);
  };
}
