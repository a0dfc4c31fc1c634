const START = /^\{"(?:span|trace)":\{"id":"([0-9a-f-]{16,36})"/;
const START_LENGTH = 64;

/** The id of the span or trace that a line holds; `undefined` when it does not start as a record does. */
export function recordIdOf(line: Buffer): string | undefined {
  return START.exec(line.toString('latin1', 0, START_LENGTH))?.[1];
}
