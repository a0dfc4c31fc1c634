import { describeArgument } from '@dacapo/tracer/internal';
import { NestjsTracerError } from '../errors.js';

/** A method to replay has no trace function key. */
export class NotTracedError extends NestjsTracerError {
  readonly code = 'NESTJS_NOT_TRACED';

  constructor(service: string, method: string | symbol) {
    super(
      `${service}.${String(method)} is not a traced method. Decorate it with @Traced, or name the key of the calls to replay: replay(${service}, '${String(method)}', { key }).`,
    );
  }
}

/** There is no one method of the application that a key stands for. */
export class MethodForKeyError extends NestjsTracerError {
  readonly code = 'NESTJS_METHOD_FOR_KEY';

  constructor(key: string, found: readonly string[]) {
    super(
      found.length === 0
        ? `No provider or controller has a method traced as ${JSON.stringify(key)}. Check the key, and that the module of its class is imported. Calls of a static method or of a withSpan function are played by tracer.replay(key, fn).`
        : `Several methods are traced as ${JSON.stringify(key)}: ${found.join(', ')}. Name the one to replay: replay(Service, 'method').`,
    );
  }
}

/** An application cannot be started for a replay without starting what should not run. */
export class ReplayContextError extends NestjsTracerError {
  readonly code = 'NESTJS_REPLAY_CONTEXT';

  /** @param cure a sentence */
  constructor(problem: string, cure: string) {
    super(`${problem}. ${cure}`);
  }
}

/** An item of an argument that is a list: its parameter declares the list alone. */
const ITEM_OF_ARGUMENT = /^\/\d+\/\d+$/;

function declarationAt(pointer: string, className: string): string {
  if (ITEM_OF_ARGUMENT.test(pointer))
    return `A parameter declares no class for the items of a list: list it in TracerModule.forRoot({ replayClasses: [${className}] }), make the arguments in adaptArgs`;
  const declare =
    pointer.lastIndexOf('/') === 0
      ? `Declare ${className} as the type of the parameter`
      : `Put @Type(() => ${className}) of class-transformer on the property`;
  return `${declare}, list it in TracerModule.forRoot({ replayClasses: [${className}] }), make the arguments in adaptArgs`;
}

/** An object of a recorded call had methods, and would reach the method as its data alone. */
export class ReplayClassError extends NestjsTracerError {
  readonly code = 'NESTJS_REPLAY_CLASS';

  /**
   * @param pointer where the object stood in the recorded arguments, a JSON Pointer such as `/0/customer`
   * @param problem such as `no class of that name is declared there`
   */
  constructor(
    readonly method: string,
    readonly pointer: string,
    readonly className: string,
    problem: string,
  ) {
    super(
      `The recorded ${describeArgument(pointer)} of ${method} was of class ${className}, which has methods, and is only its data here: ${problem}. ${declarationAt(pointer, className)}, or give the class a codec (capture.codecs) and record again.`,
    );
  }
}
