import { type ArgumentsHost, Catch, HttpStatus, Logger, ServiceUnavailableException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { TracerError } from '@dacapo/tracer';

/** Without a collector, indexes and replays respond with 503 and the reason. Tickets do not need it. */
@Catch(TracerError)
export class TracerErrorFilter extends BaseExceptionFilter<TracerError> {
  private readonly logger = new Logger(TracerErrorFilter.name);

  override catch(error: TracerError, host: ArgumentsHost): void {
    this.logger.warn(`${error.message} [${error.code}]`);
    const body = { statusCode: HttpStatus.SERVICE_UNAVAILABLE, message: error.message, code: error.code };
    super.catch(new ServiceUnavailableException(body) as never, host);
  }
}
