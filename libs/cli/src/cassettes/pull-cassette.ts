import { existsSync } from 'node:fs';
import type { CassetteCall } from '@dacapo/testing/internal';
import type { ServiceClient } from '../service/service-client.js';
import { CassetteExistsError, NoCallToPullError } from './errors.js';
import { findRecordedCalls } from './find-recorded-calls.js';

export interface CassetteToPull {
  readonly key: string;
  readonly traceId: string;
  /** Absolute. */
  readonly file: string;
  /** Whether a file with calls of another trace is replaced. */
  readonly replaces: boolean;
}

export interface PulledCassette {
  readonly isChanged: boolean;
  readonly roots: readonly CassetteCall[];
  /** How many calls are inside the roots. */
  readonly innerCalls: number;
}

/** Writes the calls with a key in a trace into a cassette. @throws NoCallToPullError, CassetteExistsError */
export async function pullCassette(
  client: ServiceClient,
  { key, traceId, file, replaces }: CassetteToPull,
): Promise<PulledCassette> {
  const { readCassette, writeCassette } = await import('@dacapo/testing/internal');
  const calls = await findRecordedCalls(client, key, traceId);
  if (calls.length === 0) throw new NoCallToPullError(key, traceId);
  if (!replaces && (await holdsOtherCalls(file, traceId))) throw new CassetteExistsError(file);
  const isChanged = writeCassette(file, { calls, traceId });
  const { calls: written } = readCassette(file);
  const roots = written.filter(({ parent }) => parent === undefined);
  return { isChanged, roots, innerCalls: written.length - roots.length };
}

/** Pulling a trace again may replace its cassette. */
async function holdsOtherCalls(file: string, traceId: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const { readCassette } = await import('@dacapo/testing/internal');
  try {
    return readCassette(file).header.trace_id !== traceId;
  } catch {
    return true;
  }
}
