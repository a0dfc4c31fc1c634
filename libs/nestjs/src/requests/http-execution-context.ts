import type { ExecutionContext, Type } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { RoutedHandler } from './routed-handler.js';

const UnknownController = function (): void {
  // Stands for a controller that is not chosen yet, or for one of several that inherit the method.
};
const unknownHandler = (): void => undefined;

/** The context of an HTTP request: with its handler, if Nest has chosen one, and its class, if only one has that. */
export function httpExecutionContext(
  request: object,
  response: object,
  routed: RoutedHandler | undefined,
): ExecutionContext {
  const [controller, another] = routed?.controllers ?? [];
  const known = another === undefined ? controller : undefined;
  return new ExecutionContextHost(
    [request, response],
    known ?? (UnknownController as unknown as Type),
    routed?.handler ?? unknownHandler,
  );
}
