import { sha256 } from '../../sha256.js';

/** Starts every indexed word, so that a search neither reads nor waits for the words of other accounts. */
export function accountPrefix(accountId: string): string {
  return sha256(accountId).slice(0, 12);
}
