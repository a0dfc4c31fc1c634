import { randomInt } from 'node:crypto';

/** A new id of the shape `scrape_<digits>` (SPEC 2.3): 16 random digits. */
export function newIndexId(): string {
  const eightDigits = (): string => randomInt(1e8).toString().padStart(8, '0');
  return `scrape_${eightDigits()}${eightDigits()}`;
}
