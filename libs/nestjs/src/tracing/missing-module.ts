import { Logger } from '@nestjs/common';

const MODULE_DEFINED = Symbol.for('@dacapo/nestjs/module-defined');

const SETTLED = Symbol.for('@dacapo/nestjs/missing-module-settled');

/** Shared by all copies of this package in the process. */
const shared = globalThis as { [MODULE_DEFINED]?: boolean; [SETTLED]?: boolean };

/** Turns the warning off: an application of this process has a `TracerModule`. */
export function noteModuleDefined(): void {
  shared[MODULE_DEFINED] = true;
}

/**
 * Warns that a decorated method records nothing, because no application of the process has a `TracerModule`. Once per
 * process, at the first call. Not where `NODE_ENV` is `test`, because unit tests create instances without a container.
 */
export function warnWithoutModule(place: string): void {
  if (shared[SETTLED] === true) return;
  shared[SETTLED] = true;
  if (shared[MODULE_DEFINED] === true || process.env['NODE_ENV'] === 'test') return;
  new Logger('Tracer').warn(
    `@Traced on ${place} records nothing: this process has no TracerModule. Import TracerModule.forRoot() in the root module of the application.`,
  );
}
