import { hmacSha256 } from '../../hashing.js';

const DIGITS = 12;

/** `[redacted:…]`: the same secret under the same salt gives the same token, in every process. */
export function redactionToken(secret: string, salt: string): string {
  return `[redacted:${hmacSha256(salt, secret).slice(0, DIGITS)}]`;
}

/** Stands for a whole field that could not be redacted, and must not be told. */
export const MASKED = '[redacted]';
