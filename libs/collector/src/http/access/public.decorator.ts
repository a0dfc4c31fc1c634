import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const PUBLIC = 'dacapo:public';

/** Lets a route be called without a key and without a browser session. */
export function Public(): CustomDecorator {
  return SetMetadata(PUBLIC, true);
}
