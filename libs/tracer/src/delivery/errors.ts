import { TracerError } from '../errors.js';
import type { DropReason } from './record-sink.js';

/** The service refuses the key. Records are kept, and one batch a minute is tried again. */
export class UnauthorizedError extends TracerError {
  readonly code = 'TRACER_UNAUTHORIZED';

  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(
      `The service accepts no records from this key (${status}: ${detail}). They are kept; one batch a minute is tried. ` +
        (status === 403
          ? 'Pass a key that has the scope ingest as apiKey (TRACER_API_KEY).'
          : 'Pass a key of this service as apiKey (TRACER_API_KEY).'),
    );
  }
}

/** The service answers with a redirect. It is not followed, so that the key goes nowhere else; records are kept. */
export class ServiceRedirectError extends TracerError {
  readonly code = 'TRACER_REDIRECTED';

  constructor(
    readonly status: number,
    location: string,
  ) {
    super(
      `The service redirects to ${location} (${status}), which is not followed; records are kept. ` +
        'Set serviceUrl (TRACER_SERVICE_URL) to the address that answers itself.',
    );
  }
}

/** What answers at the address does not answer as the service does. Nothing counts as stored; records are kept and tried again. */
export class UnexpectedAnswerError extends TracerError {
  readonly code = 'TRACER_UNEXPECTED_ANSWER';

  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(
      `What answers at the service's address does not answer as the service does (${status}: ${detail}); records are kept ` +
        'and tried again. Set serviceUrl (TRACER_SERVICE_URL) to a Dacapo service, and see what proxy or sign-in page stands before it.',
    );
  }
}

/** Records were given up. `ids` names the spans and traces as far as they are known, at most 1,000. */
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

/** No spool file can be written; records wait in memory alone. Tried again twice a minute. */
export class SpoolUnusableError extends TracerError {
  readonly code = 'TRACER_SPOOL_UNUSABLE';

  constructor(directory: string, cause: unknown) {
    super(
      `Waiting records cannot be kept in ${directory} (${cause instanceof Error ? cause.message : String(cause)}); ` +
        'memory alone holds them. Make room there, or set delivery.spoolDir to a private writable folder.',
      { cause },
    );
  }
}

/** By shape: each of Jest's environments has an `Error` of its own. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

const CURES: Record<DropReason, string> = {
  memory_full: 'Raise delivery.maxQueueBytes, or allow delivery.spool with a writable folder.',
  spool_full: 'Bring the service back, or raise delivery.maxSpoolBytes.',
  too_large: 'Record less of large values: see capture limits.',
  rejected: 'See what the service says of them; tracer and service may be of different versions.',
  quarantined:
    'Files keep them. See what refuses them, such as a gateway; `dacapo spool list` shows them, `dacapo spool send --quarantined` sends them again.',
  refused:
    'See what refuses them, such as a gateway. Allow delivery.spool with a writable folder to keep them.',
  quarantine_full:
    'The oldest quarantined records were deleted. Send or purge the quarantine with `dacapo spool` from time to time.',
  spool_expired:
    'They waited in files for longer than delivery.maxSpoolAgeMs; bring the service back, or raise it.',
  spool_damaged: 'The quarantine folder of the spool has what could not be read. Check the disk.',
  process_exit: 'Await tracer.shutdown() before the end, or allow delivery.spool.',
};
