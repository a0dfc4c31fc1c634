import { InvalidOptionError } from './errors.js';

/** A receiver of spans by OTLP. */
export interface OtlpOptions {
  /**
   * The address of an OTLP/HTTP receiver, such as `http://127.0.0.1:4318`. `/v1/traces` is added unless the address ends with it.
   */
  url: string;
  /** Headers of each request, such as the receiver's API key. */
  headers?: Readonly<Record<string, string>>;
}

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PATH = '/v1/traces';

/** @throws InvalidOptionError */
export function toOtlpTarget(option: string, { url, headers = {} }: Readonly<OtlpOptions>): OtlpTarget {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new InvalidOptionError(
      `${option}.url`,
      'must be an absolute http or https address',
      'Write it as http://127.0.0.1:4318.',
    );
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new InvalidOptionError(
      `${option}.url`,
      'must not contain a user or a password',
      'Send them in the header "authorization".',
    );
  }
  try {
    new Headers(headers);
  } catch {
    // The original error shows the value, which may be a key.
    throw new InvalidOptionError(
      `${option}.headers`,
      'has an invalid header name or value',
      'Remove spaces from names, and line breaks from values.',
    );
  }
  if (!parsed.pathname.endsWith(PATH)) parsed.pathname = parsed.pathname.replace(/\/*$/, PATH);
  return { url: parsed.href, headers };
}
