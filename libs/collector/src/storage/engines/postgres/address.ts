import { InvalidOptionError } from '../../../errors.js';

/** The address of a PostgreSQL database. */
export type PostgresAddress = `postgres://${string}` | `postgresql://${string}`;

/** Whether a text is the address of a database, as node-postgres reads it: without a host it is on a socket. */
export function isPostgresAddress(text: unknown): text is PostgresAddress {
  if (typeof text !== 'string' || !/^postgres(ql)?:\/\//.test(text)) return false;
  return URL.canParse(text.replace('@/', '@host/'));
}

/** An address without its password, for messages. */
export function maskAddress(address: string): string {
  return address.replace(/(\/\/[^:/?#]*:).*(@)/s, '$1***$2').replace(/([?&]password=)[^&"]*/gi, '$1***');
}

/** @throws InvalidOptionError, whose message has no password */
export function toPostgresAddress(text: string): PostgresAddress {
  if (isPostgresAddress(text)) return text;
  throw new InvalidOptionError(
    'storage',
    `must be the address of a PostgreSQL database, not ${JSON.stringify(maskAddress(text))}`,
    'Write it as postgres://user:password@host/database.',
  );
}
