import { describeArgument } from '@dacapo/tracer/internal';
import { NestjsTracerError } from '../errors.js';

/** A method to replay has no trace function key. */
export class NotTracedError extends NestjsTracerError {
  readonly code = 'NESTJS_NOT_TRACED';

  constructor(service: string, method: string | symbol) {
    super(
      `${service}.${String(method)} is not a traced method. Decorate it with @Traced, or pass the key of the calls to replay: replay(${service}, '${String(method)}', { key }).`,
    );
  }
}

/** No method of the application is traced under the key, or several are. */
export class MethodForKeyError extends NestjsTracerError {
  readonly code = 'NESTJS_METHOD_FOR_KEY';

  constructor(key: string, found: readonly string[]) {
    super(
      found.length === 0
        ? `No provider or controller has a method traced as ${JSON.stringify(key)}. Check the key, and that the module of its class is imported. For calls of a static method or of a withSpan function, use tracer.replay(key, fn).`
        : `Several methods are traced as ${JSON.stringify(key)}: ${found.join(', ')}. Name the one to replay: replay(Service, 'method').`,
    );
  }
}

/** An application cannot be started for a replay: it has no `TracerModule`, or would start work that must not run. */
export class ReplayContextError extends NestjsTracerError {
  readonly code = 'NESTJS_REPLAY_CONTEXT';

  /** @param cure a sentence */
  constructor(problem: string, cure: string) {
    super(`${problem}. ${cure}`);
  }
}

/** Pointer to an item of a list argument. The parameter's declared type is the list, without the class of its items. */
const ITEM_OF_ARGUMENT = /^\/\d+\/\d+$/;

function describeCure(pointer: string, className: string): string {
  if (ITEM_OF_ARGUMENT.test(pointer))
    return `A parameter declares no class for the items of a list. List it in TracerModule.forRoot({ replayClasses: [${className}] }), create the arguments in adaptArgs`;
  const declare =
    pointer.lastIndexOf('/') === 0
      ? `Declare ${className} as the type of the parameter`
      : `Put @Type(() => ${className}) of class-transformer on the property`;
  return `${declare}, list it in TracerModule.forRoot({ replayClasses: [${className}] }), create the arguments in adaptArgs`;
}

/** A recorded object had methods, and its class cannot be restored: the method would receive only its data. */
export class ReplayClassError extends NestjsTracerError {
  readonly code = 'NESTJS_REPLAY_CLASS';

  /**
   * @param pointer JSON Pointer to the object in the recorded arguments, such as `/0/customer`
   * @param problem such as `no class of that name is declared there`
   */
  constructor(
    readonly method: string,
    readonly pointer: string,
    readonly className: string,
    problem: string,
  ) {
    super(
      `The recorded ${describeArgument(pointer)} of ${method} was of class ${className}, which has methods. Only its data was recorded: ${problem}. ${describeCure(pointer, className)}, or add a codec for the class (capture.codecs) and record again.`,
    );
  }
}
