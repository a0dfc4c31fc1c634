import { Logger } from '@nestjs/common';

const MODULE_DEFINED = Symbol.for('@dacapo/nestjs/module-defined');

const SETTLED = Symbol.for('@dacapo/nestjs/missing-module-settled');

/** Shared by all copies of this package in the process. */
const shared = globalThis as { [MODULE_DEFINED]?: boolean; [SETTLED]?: boolean };

/** A `TracerModule` is part of some application of the process: from then on there is nothing to warn of. */
export function noteModuleDefined(): void {
  shared[MODULE_DEFINED] = true;
}

/**
 * Warns of a decorated method that records nothing, because no application of the process has a `TracerModule`. Once per
 * process, at the first call; not where `NODE_ENV` is `test`, as unit tests make instances themselves.
 */
export function warnWithoutModule(place: string): void {
  if (shared[SETTLED] === true) return;
  shared[SETTLED] = true;
  if (shared[MODULE_DEFINED] === true || process.env['NODE_ENV'] === 'test') return;
  new Logger('Tracer').warn(
    `@Traced on ${place} records nothing: this process has no TracerModule. Import TracerModule.forRoot() in the root module of the application.`,
  );
}
