import { InvalidOptionError } from '../../../errors.js';
import { maskAddress } from '../../mask-address.js';

/** The address of a PostgreSQL database. */
export type PostgresAddress = `postgres://${string}` | `postgresql://${string}`;

/** Whether node-postgres accepts a text as an address. An address without a host is a socket. */
export function isPostgresAddress(text: unknown): text is PostgresAddress {
  if (typeof text !== 'string' || !/^postgres(ql)?:\/\//.test(text)) return false;
  return URL.canParse(text.replace('@/', '@host/'));
}

/** @throws InvalidOptionError with a message that has no password */
export function toPostgresAddress(text: string): PostgresAddress {
  if (isPostgresAddress(text)) return text;
  throw new InvalidOptionError(
    'storage',
    `must be the address of a PostgreSQL database, not ${JSON.stringify(maskAddress(text))}`,
    'Write it as postgres://user:password@host/database.',
  );
}
