import { InvalidOptionError } from '../../../errors.js';
import { maskAddress } from '../../mask-address.js';

/** The address of a ClickHouse database: `clickhouse://user:password@host:8123/database` for HTTP, with `?secure=true` for HTTPS. */
export type ClickHouseAddress = `clickhouse://${string}`;

export function isClickHouseAddress(text: unknown): text is ClickHouseAddress {
  return typeof text === 'string' && text.startsWith('clickhouse://') && URL.canParse(text);
}

/** @throws InvalidOptionError with a message that has no password */
export function toClickHouseAddress(text: string): ClickHouseAddress {
  if (isClickHouseAddress(text)) return text;
  throw new InvalidOptionError(
    'spans',
    `must be the address of a ClickHouse database, not ${JSON.stringify(maskAddress(text))}`,
    'Write it as clickhouse://user:password@host:8123/database.',
  );
}

/** Where and how the client connects. */
export interface ClickHouseLogin {
  url: string;
  username: string;
  password: string;
  database: string;
}

/** Default ports are those of ClickHouse's HTTP interface: 8123, or 8443 with `secure=true`. */
export function toLogin(address: ClickHouseAddress): ClickHouseLogin {
  const { hostname, port, username, password, pathname, searchParams } = new URL(address);
  const isSecure = searchParams.get('secure') === 'true';
  return {
    url: `${isSecure ? 'https' : 'http'}://${hostname}:${port || (isSecure ? 8443 : 8123)}`,
    username: decodeURIComponent(username) || 'default',
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || 'default',
  };
}
