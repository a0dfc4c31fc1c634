import type { CliIo } from '../io.js';
import type { ConnectionOptions } from '../service/connection.js';
import { EntryExportError } from './errors.js';
import { playableFunction } from './exported-function.js';
import { exportedModules, playableMethod } from './exported-module.js';
import type { LoadedModule } from './load-module.js';
import type { Playable, PlayTarget } from './playable.js';

/**
 * Finds what is played among the exports of an entry: a function, or a method of the Nest module, which is started.
 *
 * @throws EntryExportError, MethodNotFoundError, TracerNotFoundError, ApiKeyMissingError
 */
export async function findPlayable(
  entry: LoadedModule,
  target: PlayTarget,
  connection: ConnectionOptions & { readonly env: CliIo['env'] },
): Promise<Playable> {
  const { exportName } = target;
  if (exportName !== undefined && !entry.exports.has(exportName))
    throw new EntryExportError(entry.name, `has no export ${exportName}`, describeExports(entry));
  const modules = await exportedModules(entry, target);
  const [module, ...others] = modules.values();
  if (module === undefined) return playableFunction(entry, target, connection);
  if (others.length === 0) return playableMethod(entry, module, target);
  const names = [...modules.keys()].join(', ');
  throw new EntryExportError(entry.name, `exports several Nest modules: ${names}`, 'Name one with --export.');
}

/** What there is to choose from, as a sentence. */
function describeExports({ exports }: LoadedModule): string {
  const names = [...exports.keys()];
  return names.length === 0
    ? 'It exports nothing: export the function, or the Nest module, under a name.'
    : `It exports ${names.join(', ')}.`;
}
