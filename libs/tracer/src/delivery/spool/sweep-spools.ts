import { basename, join } from 'node:path';
import { realEpochMs } from '../../context/clock.js';
import { TracerError } from '../../errors.js';
import { DEFAULT_MAX_SPOOL_AGE_MS, type WorkingOptions } from '../../options/delivery-options.js';
import { areNewKeys } from './reported-keys.js';
import { listSpoolFolders, purgeReports, purgeSpoolFolder } from './spool-folders.js';

export interface SweepSettings {
  readonly serviceUrl: string;
  readonly options: WorkingOptions;
  readonly report: (error: TracerError) => void;
  /** Called with the number of records that were deleted because they waited for too long. */
  readonly onExpired: (records: number) => void;
}

/**
 * Reports once a day files that wait under other keys of this service, and deletes those that waited for too long. Under this key it deletes only
 * reports of test runs: the run that continues theirs sends them. Loaded when there are files (docs/adr/0061).
 *
 * @param root the folder of all services and keys
 * @param mine folders whose files this process sends
 */
export async function sweepSpools(
  root: string,
  mine: readonly string[],
  { options, serviceUrl, report, onExpired }: SweepSettings,
): Promise<void> {
  // Of files that belong to others no less is kept than they asked for by saying nothing.
  const maxAgeMs = Math.max(options.maxSpoolAgeMs, DEFAULT_MAX_SPOOL_AGE_MS);
  for (const path of mine) {
    const { records } = await purgeReports(root, basename(path), options.maxSpoolAgeMs);
    if (records > 0) onExpired(records);
  }
  const others = async () =>
    (await listSpoolFolders(root)).filter(({ id }) => !mine.includes(join(root, id)));
  for (const { id, left, oldestAt = '' } of await others()) {
    if (left === 0 || realEpochMs() - Date.parse(oldestAt) <= maxAgeMs) continue;
    onExpired((await purgeSpoolFolder(root, id, maxAgeMs)).records);
  }
  const waiting = (await others()).filter((other) => other.serviceUrl === serviceUrl && other.left > 0);
  const ids = waiting.map(({ id }) => id);
  if (waiting.length > 0 && (await areNewKeys(root, ids)))
    report(new OtherKeyWaitingError(waiting.map(({ left, ...other }) => ({ ...other, files: left }))));
}

/** Records wait that were made under another key of this service, or for it. They are not sent under this one. */
class OtherKeyWaitingError extends TracerError {
  readonly code = 'TRACER_OTHER_KEY_WAITING';

  constructor(folders: readonly { readonly keyHint: string | undefined; readonly files: number }[]) {
    const named = folders.map(({ keyHint, files }) => `${files} under ${keyHint ?? 'another key'}`);
    super(
      `Spool files wait under other keys: ${named.join(', ')}. ` +
        'Send or delete them with `dacapo spool`, or name the key in delivery.previousKeys.',
    );
  }
}
