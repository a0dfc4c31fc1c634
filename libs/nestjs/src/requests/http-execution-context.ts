import type { ExecutionContext, Type } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';

const UnknownController = function (): void {
  // Stands for a controller that is not chosen yet.
};
const unknownHandler = (): void => undefined;

/** The context of an HTTP request before Nest has chosen a handler. */
export function httpExecutionContext(request: object, response: object): ExecutionContext {
  return new ExecutionContextHost([request, response], UnknownController as unknown as Type, unknownHandler);
}
