/** The name of a tracer whose module has no `name`. */
export const DEFAULT_TRACER = 'default';

/**
 * Token of a tracer. A string, so that the CommonJS and the ES module copy of this package share it.
 *
 * @param name as in `TracerModule.forRoot({ name })`; default: the tracer without a name
 */
export function getTracerToken(name: string = DEFAULT_TRACER): string {
  return `${TRACER_TOKEN}${name}`;
}

const TRACER_TOKEN = 'dacapo:tracer:';

/** The tracer's name in its token; `undefined` for any other token. */
export function parseTracerToken(token: unknown): string | undefined {
  return typeof token === 'string' && token.startsWith(TRACER_TOKEN)
    ? token.slice(TRACER_TOKEN.length)
    : undefined;
}

/** Token of a tracer's `IndexesClient`. */
export function getIndexesToken(name: string = DEFAULT_TRACER): string {
  return `dacapo:indexes:${name}`;
}

/** Token of a tracer's `DatasetsClient`. */
export function getDatasetsToken(name: string = DEFAULT_TRACER): string {
  return `dacapo:datasets:${name}`;
}

/** Token of the `TracerRef` that is injected into classes with decorated methods. */
export function getTracerRefToken(name: string): string {
  return `dacapo:tracer-ref:${name}`;
}

/** Token of a module's own options; each `TracerModule` provides its own. */
export const MODULE_OPTIONS_TOKEN = 'dacapo:module-options';

/** Token of a module's own `TracerModuleExtras`. */
export const MODULE_EXTRAS_TOKEN = 'dacapo:module-extras';

/** Token of a module's own `TracerRef`. */
export const MODULE_REF_TOKEN = 'dacapo:module-ref';

/** Token of a module's own tracer. Nest prints the token to users who import the bare `TracerModule`. */
export const MODULE_TRACER_TOKEN =
  'dacapo:module-tracer, which TracerModule.forRoot() and forRootAsync() bring';

/** Token of the tracer with which `TracerTestingModule` replaces every tracer of the application. */
export const TEST_TRACER_TOKEN = 'dacapo:test-tracer';
