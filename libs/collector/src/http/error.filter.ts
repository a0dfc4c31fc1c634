import { type ErrorBody, ProtocolError } from '@dacapo/protocol';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomInt } from 'node:crypto';
import { Clock } from '../clock.js';
import {
  DatabaseDamagedError,
  InvalidCursorError,
  LostWritesError,
  StorageError,
  StorageFullError,
} from '../errors.js';
import { CollectorLogger, describeError, errorFields, type LogFields } from '../logger.js';
import { BusyException } from '../memory/memory-budget.js';
import { ServiceMetrics } from '../telemetry/service-metrics.js';
import { routePattern } from './request-observer.js';

/** The range of `Retry-After` in seconds. It is random, so that clients refused together do not retry together. */
const RETRY_AFTER_S = [1, 6] as const;
const TRY_LATER = new Set([429, 503]);

/** The maximum number of remembered refusal causes. */
const MOST_CAUSES = 100;
const MINUTE_US = 60_000_000;

/** Answers every error as `{ detail, status_code }` (SPEC 2.5). Internal details go to the log only. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** By cause: when a line was last logged, and how many have been suppressed since. */
  private readonly refusals = new Map<string, { atUs: number; repeated: number }>();

  constructor(
    private readonly logger: CollectorLogger,
    private readonly clock: Clock,
    private readonly metrics: ServiceMetrics,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const body = toErrorBody(error);
    if (body.status_code >= 500) this.logError(error, body, http.getRequest<FastifyRequest>());
    const reason = refusalReason(error, body.status_code);
    if (reason !== undefined) this.metrics.requestRefused(reason);
    // A key's rate limit has already set how long to wait.
    if (TRY_LATER.has(body.status_code) && !reply.hasHeader('retry-after')) {
      void reply.header('retry-after', randomInt(...RETRY_AFTER_S));
    }
    this.send(reply.status(body.status_code), body);
  }

  /** Sends the body; status and headers are already set. */
  protected send(reply: FastifyReply, body: ErrorBody): void {
    void reply.type('application/json; charset=utf-8').send(body);
  }

  private logError(error: unknown, { status_code, detail }: ErrorBody, request: FastifyRequest): void {
    const { id, method } = request;
    const route = routePattern(request);
    const requestFields = { request_id: id, method, route, status: status_code };
    if (status_code === 503) {
      const cause = error instanceof StorageError ? describeError(error) : detail;
      this.logRefusal(`${method} ${route}`, cause, {
        ...requestFields,
        ...errorFields(error),
        stack: undefined,
      });
      return;
    }
    this.logger.error(`${method} ${route} failed: ${describeError(error)}`, {
      ...requestFields,
      ...errorFields(error),
    });
  }

  /** Logs one line per cause and minute, because a full disk refuses every request. */
  private logRefusal(what: string, cause: string, fields: LogFields): void {
    const nowUs = this.clock.nowUs();
    const last = this.refusals.get(cause);
    if (last && nowUs - last.atUs < MINUTE_US) {
      last.repeated++;
      return;
    }
    if (this.refusals.size >= MOST_CAUSES) this.refusals.clear();
    this.refusals.set(cause, { atUs: nowUs, repeated: 0 });
    const more = last && last.repeated > 0 ? ` (${last.repeated} more since the last report)` : '';
    this.logger.error(`${what} refused: ${cause}${more}`, fields);
  }
}

function toErrorBody(error: unknown): ErrorBody {
  if (error instanceof HttpException) return { detail: error.message, status_code: error.getStatus() };
  if (error instanceof ProtocolError || error instanceof InvalidCursorError) {
    return { detail: error.message, status_code: 400 };
  }
  if (error instanceof StorageError) return { detail: describeStorageError(error), status_code: 503 };
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (error instanceof Error && typeof status === 'number' && status >= 400 && status < 500) {
    return { detail: error.message, status_code: status };
  }
  return { detail: 'Internal server error', status_code: 500 };
}

/** Describes the error for any client: without paths and without the database's message. */
function describeStorageError(error: StorageError): string {
  if (error instanceof StorageFullError) return 'The disk or the database of the service is full';
  if (error instanceof DatabaseDamagedError) {
    const checked = error.checkedAt === undefined ? '' : ` (last checked at ${error.checkedAt})`;
    return `The service's database is damaged${checked}`;
  }
  if (error instanceof LostWritesError) {
    const { writes, foundAt } = error.lost;
    return `${writes} acknowledged writes are missing from the service's database (found on ${foundAt})`;
  }
  return 'The service cannot reach its storage now';
}

/** The metric label of a refusal that the client may retry, later or with a smaller request; `undefined` for other errors. */
function refusalReason(error: unknown, status: number): string | undefined {
  if (error instanceof StorageFullError) return 'storage_full';
  if (error instanceof DatabaseDamagedError) return 'storage_damaged';
  if (error instanceof BusyException) return 'memory';
  if (status === 503) return 'storage_failed';
  return { 413: 'too_large', 429: 'rate_limit' }[status];
}
