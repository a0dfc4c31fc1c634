const DIGITS = 12;

/** What every token begins with. */
export const TOKEN_START = '[redacted:';

/** A text that is one token. */
export const WHOLE_TOKEN = /^\[redacted:[^\]]*\]$/;

/** A token in a text. `[redacted]` and the output of a hook do not identify what they replaced. */
export const TOKEN = /\[redacted:[0-9a-f]{8,}\]/;

/** The token of a secret with this hash, in hex digits. */
export function redactionToken(hash: string): string {
  return `${TOKEN_START}${hash.slice(0, DIGITS)}]`;
}
