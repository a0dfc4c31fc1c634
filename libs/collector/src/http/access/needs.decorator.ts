import type { Scope } from '@dacapo/protocol';
import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** What a route requires: a scope, `key` for any valid key, or `nothing` for a public route. */
export type Need = Scope | 'key' | 'nothing';

export const NEED = 'dacapo:need';
export const MEMBER_NEED = 'dacapo:member-need';

/** Declares who may call a route, or all routes of a controller. A route without a declaration admits nobody. */
export function Needs(need: Need): CustomDecorator {
  return SetMetadata(NEED, need);
}

/** Lets in signed-in members with this scope, too. */
export function NeedsOfMembers(scope: Scope | undefined): CustomDecorator {
  return SetMetadata(MEMBER_NEED, scope);
}
