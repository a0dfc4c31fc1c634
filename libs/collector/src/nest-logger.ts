import type { LoggerService } from '@nestjs/common';
import { type CollectorLogger, describeError, errorFields } from './logger.js';

/** What Nest says, in the service's log: warnings and errors. What it says of its own start is nobody's concern. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Readonly<CollectorLogger>) {}

  log(): void {
    // Modules and routes are the same at every start.
  }

  warn(message: unknown): void {
    this.logger.warn(textOf(message));
  }

  /** @param details a stack, a context: the last is the context */
  error(message: unknown, ...details: unknown[]): void {
    // What is thrown while the service starts goes to whoever starts it.
    if (details.at(-1) === 'ExceptionHandler') return;
    this.logger.error(textOf(message), message instanceof Error ? errorFields(message) : {});
  }
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : describeError(message);
}
