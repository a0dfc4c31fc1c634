import { SystemClock } from '@dacapo/collector';
import type { Storage } from '@dacapo/collector/storage';
import { openInMemoryStorage } from '../../src/storage/engines/sqlite/open-in-memory-storage.js';
import { type OracleOptions, OracleSpanStore } from './oracle-span-store.js';

/** Spans in the oracle, which can show them late, and everything else in an in-memory database. */
export async function openOracleStorage(options: OracleOptions = {}): Promise<Storage> {
  const { meta, close } = await openInMemoryStorage(options.clock ?? new SystemClock());
  return { spans: new OracleSpanStore(options, meta.scores), meta, close };
}
