import { redactionToken } from '@dacapo/protocol';
import { hmacSha256 } from '../../hashing.js';

/** The same secret with the same salt has the same token, in every process. */
export function saltedToken(secret: string, salt: string): string {
  return redactionToken(hmacSha256(salt, secret));
}

/** Replaces a whole field that could not be redacted and must not be recorded. */
export const MASKED = '[redacted]';
