import type { Scope } from '@dacapo/protocol';
import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** What a route asks of its callers: a scope; `key`, which every key has that is valid; `nothing`, not even a key. */
export type Need = Scope | 'key' | 'nothing';

export const NEED = 'dacapo:need';

/** Says who may call a route, or all routes of a controller. A route that does not say so lets nobody in. */
export function Needs(need: Need): CustomDecorator {
  return SetMetadata(NEED, need);
}
