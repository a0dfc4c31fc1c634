import { InvalidOptionError } from './errors.js';

/** The longest that a timer can wait: with more it ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A text would count as true, also that of an environment variable that says `false`. @throws InvalidOptionError */
export function flagOption(option: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined || value === null) return otherwise;
  if (typeof value === 'boolean') return value;
  throw new InvalidOptionError(
    option,
    `must be true or false, not ${describe(value)}`,
    `Of an environment variable, write ${option}: process.env.NAME === 'true'.`,
  );
}

/** @throws InvalidOptionError */
export function checkFunctionOption(option: string, value: unknown, example: string): void {
  if (value === undefined || typeof value === 'function') return;
  throw new InvalidOptionError(
    option,
    `must be a function, not ${describe(value)}`,
    `Write it like ${example}.`,
  );
}

/** A value as an error may tell it: a text or a number as it is, of others the kind. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? JSON.stringify(value)
    : typeof value;
}
