import { sha256 } from '../../sha256.js';

/** Every word begins with the prefix of its account, so a search neither sees nor waits for the words of other accounts. */
export function accountPrefix(accountId: string): string {
  return sha256(accountId).slice(0, 12);
}
