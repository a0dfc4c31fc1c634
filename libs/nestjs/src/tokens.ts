/** The name of a tracer whose module was given none. */
export const DEFAULT_TRACER = 'default';

/**
 * Token of a tracer. A string, so that the CommonJS and the ES module copy of this package mean the same one.
 *
 * @param name as in `TracerModule.forRoot({ name })`; default: the tracer without a name
 */
export function getTracerToken(name: string = DEFAULT_TRACER): string {
  return `${TRACER_TOKEN}${name}`;
}

const TRACER_TOKEN = 'dacapo:tracer:';

/** The name of the tracer that a token is of; `undefined` for any other token. */
export function tracerNameOf(token: unknown): string | undefined {
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

/** Token of what decorated methods are given in place of the tracer. */
export function getTracerRefToken(name: string): string {
  return `dacapo:tracer-ref:${name}`;
}

/** The options of the module that asks, whatever its name. */
export const MODULE_OPTIONS = 'dacapo:module-options';

/** What was known before the options, of the module that asks. */
export const MODULE_EXTRAS = 'dacapo:module-extras';

/** What decorated methods are given, of the module that asks. */
export const MODULE_REF = 'dacapo:module-ref';

/** The tracer of the module that asks, whatever its name. Nest shows it to who imports the bare `TracerModule`. */
export const MODULE_TRACER = 'dacapo:module-tracer, which TracerModule.forRoot() and forRootAsync() bring';

/** What `TracerTestingModule` puts in place of every tracer of the application. */
export const TEST_TRACER = 'dacapo:test-tracer';
