import { mayDecide } from '@dacapo/protocol';
import { ForbiddenException } from '@nestjs/common';
import type { CallerIdentity } from './caller.decorator.js';

/** @throws ForbiddenException when the caller may not change the result of a stored gate */
export function requireDecider(caller: CallerIdentity): void {
  if (mayDecide(caller)) return;
  throw new ForbiddenException(
    'Only a signed-in developer or admin, or a key with the scope manage, decides on a run. ' +
      'Sign in as a member, or make a key by: dacapo keys create --name <name> --scope replay manage',
  );
}
