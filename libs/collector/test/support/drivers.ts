import type { Storage } from '../../src/storage/storage.js';
import { openOracleStorage } from '../oracle/oracle-storage.js';
import { ManualClock } from './manual-clock.js';

/** What a service stores with: `undefined` is its default, SQLite. */
export const DRIVERS: readonly [name: string, storage: (() => Promise<Storage>) | undefined][] = [
  ['SQLite', undefined],
  ['the oracle', () => openOracleStorage({ clock: new ManualClock() })],
];
