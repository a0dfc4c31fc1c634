import { NestjsTracerError } from '../errors.js';

/** A method to replay has no trace function key. */
export class NotTracedError extends NestjsTracerError {
  readonly code = 'NESTJS_NOT_TRACED';

  constructor(service: string, method: string) {
    super(
      `${service}.${method} is not a traced method. Decorate it with @Traced, or name the key of the calls to replay: replay(${service}, '${method}', { key }).`,
    );
  }
}
