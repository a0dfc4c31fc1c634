import type { SharedObject } from '@dacapo/protocol';
import { createContext, useContext } from 'react';

/** What the share link of this page shows. `undefined` on the pages of an account. */
export const SharedLink = createContext<SharedObject | undefined>(undefined);

export function useSharedLink(): SharedObject | undefined {
  return useContext(SharedLink);
}
