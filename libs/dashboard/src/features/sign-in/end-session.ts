import type { QueryClient } from '@tanstack/react-query';
import { accountQuery } from '../../shared/account/account-query.js';

/** Clears all loaded data and shows the sign-in page. */
export function endSession(client: QueryClient): void {
  const [account] = accountQuery.queryKey;
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== account });
  client.setQueryData(accountQuery.queryKey, null);
}
