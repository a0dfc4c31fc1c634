import { createHmac } from 'node:crypto';

const DIGITS = 12;

/** `[redacted:…]`: the same secret under the same salt gives the same token, in every process. */
export function redactionToken(secret: string, salt: string): string {
  return `[redacted:${createHmac('sha256', salt).update(secret).digest('hex').slice(0, DIGITS)}]`;
}

/** Stands for a whole field that could not be redacted, and must not be told. */
export const MASKED = '[redacted]';
