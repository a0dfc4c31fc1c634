import { isStream } from '../readers.js';
import type { AnsweredCall } from './answer-kind.js';

/** How a replay rebuilds a client's result from its recording. */
export interface Revival {
  /** Of an answer, or of a part of a stream with the first part; default: the reader of the method decides. */
  readonly value?: ((recorded: unknown, call: AnsweredCall, first?: unknown) => unknown) | undefined;
  /** Default: as it was recorded. */
  readonly error?: ((error: unknown, call: AnsweredCall) => unknown) | undefined;
}

/**
 * Returns a promise of the answer in the client's form. It may stay unawaited.
 *
 * @param open creates the client's own stream from recorded parts; absent: the parts themselves are returned
 */
export function revivedAnswer(
  outcome: Promise<unknown>,
  call: AnsweredCall,
  revival: Revival,
  open?: (parts: AsyncIterable<unknown>) => unknown,
): Promise<unknown> {
  const answer = outcome.then(
    (recorded) =>
      isStream(recorded) && open !== undefined
        ? open(revivedParts(recorded, call, revival))
        : revive(recorded, call, revival),
    (error: unknown) => {
      throw revival.error?.(error, call) ?? error;
    },
  );
  answer.catch(() => undefined);
  return answer;
}

/** The parts of a stream, or of a promised one, as the client returns them. */
export async function* revivedParts(
  parts: AsyncIterable<unknown> | Promise<unknown>,
  call: AnsweredCall,
  revival: Revival,
): AsyncGenerator {
  let first: unknown;
  try {
    for await (const part of (await parts) as AsyncIterable<unknown>) {
      first ??= part;
      yield revive(part, call, revival, first);
    }
  } catch (error) {
    throw revival.error?.(error, call) ?? error;
  }
}

function revive(recorded: unknown, call: AnsweredCall, { value }: Revival, first?: unknown): unknown {
  if (value !== undefined) return value(recorded, call, first);
  return call.method.reader.current?.revived?.(recorded, first) ?? recorded;
}
