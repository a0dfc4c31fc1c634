import { contextStorage, guardNetwork, keyless, type ReplayedCalls } from '@dacapo/tracer/engine';
import { existsSync } from 'node:fs';
import { toCassetteFile } from '../cassette/cassette-file.js';
import { readCassette } from '../cassette/read-cassette.js';
import { toRecordedRoots } from '../cassette/to-recorded-calls.js';
import { writeCassette } from '../cassette/write-cassette.js';
import { CassetteSetupError } from '../errors.js';
import { chooseMode } from './cassette-mode.js';
import { type CassetteOptions, checkOptions } from './cassette-options.js';
import { checkTape } from './check-tape.js';
import { GatheredCalls } from './gathered-calls.js';
import { reportOutcome } from './report-outcome.js';
import { CassetteTape, type Tape, tapes } from './tape.js';
import { TapedCalls } from './taped-calls.js';

export const DEFAULT_DIRECTORY = 'test/cassettes';

/** The original function, because a test may replace it. */
const { setImmediate } = globalThis;

/** Runs on a cassette: without a key, a network or a service. */
export type CassetteTest<T> = (tape: Tape) => T | Promise<T>;

/**
 * Runs a test on recorded calls. Outermost calls of the cassette run with their own code. Wrapped calls inside them are answered from the
 * cassette by path and arguments. A call without an answer fails the test, even if the application catches the error.
 *
 * @param name of the file below the directory, such as `refund/late`
 * @returns what `fn` returns
 * @throws CassetteMissError, CassetteNotFixedError, CassetteFileError, CassetteSetupError, and what `fn` throws
 */
export async function withCassette<T>(name: string, fn: CassetteTest<T>): Promise<T>;
export async function withCassette<T>(
  name: string,
  options: CassetteOptions,
  fn: CassetteTest<T>,
): Promise<T>;
export async function withCassette<T>(
  name: string,
  ...rest: [CassetteTest<T>] | [CassetteOptions, CassetteTest<T>]
): Promise<T> {
  const [options, fn] = rest.length === 1 ? [{}, rest[0]] : rest;
  if (typeof fn !== 'function')
    throw new CassetteSetupError(
      'withCassette needs a function. Write withCassette(name, options, async () => { … }).',
    );
  checkOptions(options);
  const file = toCassetteFile(options.directory ?? DEFAULT_DIRECTORY, name);
  const mode = chooseMode(options.mode, process.env);
  if (tapes.getStore() !== undefined)
    throw new CassetteSetupError(
      `The cassette ${JSON.stringify(name)} is inside another one. Use one cassette for both.`,
    );
  checkTracers();
  if (mode === 'renew' && options.expect === 'fixed')
    throw new CassetteSetupError(
      `The cassette ${JSON.stringify(name)} holds a recorded failure, and renewing it would lose it. Remove expect: 'fixed' to renew it.`,
    );
  const isRecorded = mode === 'renew' || (mode === 'record' && !existsSync(file));
  return isRecorded ? record(name, file, fn) : replay(name, file, options, fn);
}

async function replay<T>(
  name: string,
  file: string,
  options: CassetteOptions,
  fn: CassetteTest<T>,
): Promise<T> {
  const calls = new TapedCalls(name, toRecordedRoots(readCassette(file)), options);
  const tape = new CassetteTape(name, 'replay', calls);
  const outcome = await runTape(tape, calls, fn);
  const failure = 'error' in outcome ? outcome : undefined;
  try {
    checkTape(name, calls, options, failure);
    if ('error' in outcome) throw outcome.error;
    if (tape.pending > 0)
      throw new CassetteSetupError(
        `toMatchRecording had not compared when the test of the cassette ${JSON.stringify(name)} returned. Await it.`,
      );
  } catch (error) {
    reportOutcome({ file, calls, options, error });
    throw error;
  }
  reportOutcome({ file, calls, options, error: undefined });
  return outcome.value;
}

async function record<T>(name: string, file: string, fn: CassetteTest<T>): Promise<T> {
  const calls = new GatheredCalls();
  const value = await runOn(new CassetteTape(name, 'record', undefined), calls, fn);
  if (calls.openKeys.length > 0) await new Promise((done) => setImmediate(done));
  if (calls.openKeys.length > 0)
    throw new CassetteSetupError(
      `The cassette ${JSON.stringify(name)} was not written, because calls had not ended: ${calls.openKeys.join(', ')}. Await them, and read their streams to the end.`,
    );
  if (calls.calls.length === 0)
    throw new CassetteSetupError(
      `The cassette ${JSON.stringify(name)} was not written, because the test made no recorded call. Call a function that is wrapped by withSpan, @Traced or wrapClient.`,
    );
  writeCassette(file, { calls: calls.calls });
  return value;
}

/** Runs a test on a cassette without a network. Never rejects. */
export async function runTape<T>(
  tape: CassetteTape,
  calls: TapedCalls,
  fn: CassetteTest<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  const allowNetwork = await guardNetwork();
  let outcome: { readonly value: T } | { readonly error: unknown };
  try {
    outcome = { value: await runOn(tape, calls, fn) };
  } catch (error) {
    outcome = { error };
  }
  // The record of a call may end one turn after its promise.
  if (calls.roots.some(({ hasEnded }) => !hasEnded)) await new Promise((done) => setImmediate(done));
  calls.close();
  allowNetwork();
  return outcome;
}

function runOn<T>(tape: CassetteTape, calls: ReplayedCalls, fn: CassetteTest<T>): Promise<T> {
  // No key is empty, so no call counts as the replayed one of a test run.
  const scope = { testRunId: 'cassette', key: '', calls };
  const frame = { trace: undefined, parentId: undefined, span: undefined, replay: scope };
  return tapes.run(tape, () => contextStorage.run(frame, async () => fn(tape)));
}

/** @throws CassetteSetupError if functions of a tracer would run without a record, and so without an answer */
function checkTracers(): void {
  if (keyless.off === 0) return;
  throw new CassetteSetupError(
    'A Tracer without apiKey was created before @dacapo/testing was loaded, so cassettes cannot answer its functions. Import @dacapo/testing first, or add it to setupFiles (Jest, Vitest) or --import (node:test).',
  );
}
