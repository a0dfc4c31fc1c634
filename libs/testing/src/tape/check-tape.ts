import { CassetteMissError, CassetteNotFixedError, CassetteSetupError } from '../errors.js';
import type { CassetteOptions } from './cassette-options.js';
import type { TapedCalls } from './taped-calls.js';

/**
 * Decides whether a test that has ended may pass. The application may have caught the error of a miss.
 *
 * @param failure what the test threw
 * @throws what fails the test; `failure` if nothing explains it better
 */
export function checkTape(
  name: string,
  calls: TapedCalls,
  { expect }: CassetteOptions,
  failure: { readonly error: unknown } | undefined,
): void {
  if (calls.misses.length > 0) throw toMissError(name, calls.misses, failure?.error);
  if (expect === 'fixed') checkFixed(name, calls, failure);
  if (failure !== undefined) throw failure.error;
  if (calls.roots.length === 0) throw nothingRan(name, calls);
  const open = calls.roots.find(({ hasEnded }) => !hasEnded);
  if (open !== undefined)
    throw new CassetteSetupError(
      `The call of ${JSON.stringify(open.key)} had not ended when the test of the cassette ${JSON.stringify(name)} returned. Await it, and read its stream to the end.`,
    );
}

/** @param cause the error of the only miss has the stack of its call */
function toMissError(name: string, misses: readonly string[], cause: unknown): CassetteMissError {
  if (cause instanceof CassetteMissError && misses.length === cause.misses.length) return cause;
  return new CassetteMissError(name, misses, cause === undefined ? undefined : { cause });
}

function nothingRan(name: string, { recorded }: TapedCalls): CassetteSetupError {
  const keys = recorded.map(({ key }) => JSON.stringify(key)).join(', ');
  return new CassetteSetupError(
    `The test made no outermost call of the cassette ${JSON.stringify(name)}, so nothing was tested. Call a recorded function (${keys}) inside withCassette. If you do, its Tracer was created before @dacapo/testing was loaded, or has no TracerModule.`,
  );
}

function checkFixed(name: string, calls: TapedCalls, failure: { readonly error: unknown } | undefined): void {
  const failures = calls.recorded.filter(({ call }) => call.status === 'error');
  if (failures.length === 0)
    throw new CassetteSetupError(
      `The cassette ${JSON.stringify(name)} has no failed call that could be fixed. Remove expect: 'fixed', or pull a trace that failed.`,
    );
  const still = calls.roots.find((root) => root.wasFailure && root.failsAsRecorded);
  if (still !== undefined)
    throw new CassetteNotFixedError(
      `The recorded failure of ${JSON.stringify(still.key)} still occurs: ${still.failureText}`,
      failure && { cause: failure.error },
    );
  const untried = failures.find(
    (recorded) => !calls.roots.some((root) => root.recorded === recorded && root.hasOutcome),
  );
  // Another failure of the test explains more.
  if (untried !== undefined && failure === undefined)
    throw new CassetteNotFixedError(
      `The test did not make the call of ${JSON.stringify(untried.key)} that failed when it was recorded, or stopped it, so nothing shows that it is fixed. Call it with the recorded arguments.`,
    );
}
