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
  /** Called with the number of records that were deleted because they waited too long. */
  readonly onExpired: (records: number) => void;
}

/**
 * Reports files of other keys of this service once a day, and deletes those that waited too long. For this key it deletes only
 * old reports of test runs; a resumed run sends the others. Loaded when files exist (docs/adr/0061).
 *
 * @param root the folder of all services and keys
 * @param mine folders whose files this process sends
 */
export async function sweepSpools(
  root: string,
  mine: readonly string[],
  { options, serviceUrl, report, onExpired }: SweepSettings,
): Promise<void> {
  // Files of other keys are kept for at least the default time.
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

/** Records wait in files of another key of this service. They are not sent with this key. */
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
