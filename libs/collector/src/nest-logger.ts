import type { LoggerService } from '@nestjs/common';
import { type CollectorLogger, describeError, errorFields } from './logger.js';

/** Contexts of what is thrown while the service starts: whoever starts it gets that. */
const THROWN: ReadonlySet<unknown> = new Set(['ExceptionHandler', 'NestApplication']);

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
    if (THROWN.has(details.at(-1))) return;
    this.logger.error(textOf(message), message instanceof Error ? errorFields(message) : {});
  }
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : describeError(message);
}
