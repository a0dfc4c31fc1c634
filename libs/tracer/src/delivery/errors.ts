import { TracerError } from '../errors.js';
import type { DropReason } from './record-sink.js';

/** The service refuses the key. Records are kept, and one batch a minute is retried. */
export class UnauthorizedError extends TracerError {
  readonly code = 'TRACER_UNAUTHORIZED';

  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(
      `The service refuses records from this key (${status}: ${detail}). They are kept, and one batch a minute is retried. ` +
        (status === 403
          ? 'Pass a key with the scope ingest as apiKey (TRACER_API_KEY).'
          : 'Pass a key of this service as apiKey (TRACER_API_KEY).'),
    );
  }
}

/** The service answers with a redirect. The tracer does not follow it, so that the key goes nowhere else. Records are kept. */
export class ServiceRedirectError extends TracerError {
  readonly code = 'TRACER_REDIRECTED';

  constructor(
    readonly status: number,
    location: string,
  ) {
    super(
      `The service redirects to ${location} (${status}), which the tracer does not follow. Records are kept. ` +
        'Set serviceUrl (TRACER_SERVICE_URL) to the final address.',
    );
  }
}

/** The server at the address does not answer like the service. Nothing counts as stored; records are kept and sent again. */
export class UnexpectedAnswerError extends TracerError {
  readonly code = 'TRACER_UNEXPECTED_ANSWER';

  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(
      `The server at serviceUrl does not answer like a Dacapo service (${status}: ${detail}). Records are kept ` +
        'and sent again. Set serviceUrl (TRACER_SERVICE_URL) to a Dacapo service, and look for a proxy or a sign-in page in front of it.',
    );
  }
}

/** Records were dropped. `ids` has the known span and trace ids, at most 1,000. */
export class RecordsDroppedError extends TracerError {
  readonly code = 'TRACER_RECORDS_DROPPED';

  constructor(
    readonly reason: DropReason,
    readonly count: number,
    readonly ids: readonly string[],
    readonly detail?: string,
  ) {
    const why = detail === undefined ? reason : `${reason}: ${detail}`;
    super(`${count} ${count === 1 ? 'record was' : 'records were'} dropped (${why}). ${CURES[reason]}`);
  }
}

/** No spool file can be written, so records wait only in memory. Writing is retried twice a minute. */
export class SpoolUnusableError extends TracerError {
  readonly code = 'TRACER_SPOOL_UNUSABLE';

  constructor(directory: string, cause: unknown) {
    super(
      `Waiting records cannot be written to ${directory} (${cause instanceof Error ? cause.message : String(cause)}); ` +
        'they stay only in memory. Free disk space, or set delivery.spoolDir to a private writable folder.',
      { cause },
    );
  }
}

/** Checks the shape, because each of Jest's environments has its own `Error`. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

const CURES: Record<DropReason, string> = {
  memory_full: 'Raise delivery.maxQueueBytes, or enable delivery.spool with a writable folder.',
  spool_full: 'Start the service again, or raise delivery.maxSpoolBytes.',
  too_large: 'Record less of large values, with the capture limits.',
  rejected: "Read the service's message. Tracer and service may have different versions.",
  quarantined:
    'They are in files. Find what refuses them, such as a gateway. `dacapo spool list` shows them, `dacapo spool send --quarantined` sends them again.',
  refused:
    'Find what refuses them, such as a gateway. To keep them, enable delivery.spool with a writable folder.',
  quarantine_full:
    'The oldest quarantined records were deleted. Send or purge the quarantine with `dacapo spool` from time to time.',
  spool_expired:
    'They waited in files longer than delivery.maxSpoolAgeMs. Start the service again, or raise the limit.',
  spool_damaged: 'Unreadable parts are in the quarantine folder of the spool. Check the disk.',
  process_exit: 'Await tracer.shutdown() before the process ends, or enable delivery.spool.',
};
