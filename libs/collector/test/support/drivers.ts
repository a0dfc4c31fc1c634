import { InMemoryStorage } from '@dacapo/collector';
import type { Storage } from '../../src/storage/storage.js';
import { ManualClock } from './manual-clock.js';

/** What a service stores with: `undefined` is its default, SQLite. */
export const DRIVERS: readonly [name: string, storage: (() => Storage) | undefined][] = [
  ['SQLite', undefined],
  ['memory', () => new InMemoryStorage({ clock: new ManualClock() })],
];
