import { TracerError } from '../errors.js';

/** The service answered with an error. `detail` is the text of that error. */
export class ServiceResponseError extends TracerError {
  readonly code = 'TRACER_SERVICE_RESPONSE';

  constructor(
    readonly status: number,
    readonly detail: string,
    request: string,
  ) {
    super(`${request} received ${status}: ${detail}. ${findCure(status)}`);
  }
}

/** The service could not be reached, or did not answer within the timeout. */
export class ServiceUnreachableError extends TracerError {
  readonly code = 'TRACER_SERVICE_UNREACHABLE';

  constructor(request: string, cause: unknown) {
    const reason = readReason(cause);
    // What OpenSSL says of an address with https, where http is spoken, names its own sources.
    const explanation = /wrong.version.number/i.test(reason)
      ? 'the server there does not support https. Write serviceUrl (TRACER_SERVICE_URL) with http://, or with the https port.'
      : `${reason}. Check that the service runs at serviceUrl (TRACER_SERVICE_URL) and is reachable from here.`;
    super(`${request} got no answer: ${explanation}`, { cause });
  }
}

function findCure(status: number): string {
  if (status < 300)
    return 'Set serviceUrl (TRACER_SERVICE_URL) to a Dacapo service without a sign-in page in front of it.';
  return CURES[status] ?? "See the service's log.";
}

const CURES: Record<number, string> = {
  400: 'Correct the named value.',
  401: 'Pass a key of this service as apiKey (TRACER_API_KEY); create one in its dashboard.',
  403: 'Pass a key with this scope as apiKey (TRACER_API_KEY).',
  404: 'Check the id, and that the API key belongs to the account that has it.',
  429: 'Send fewer requests, or pass a key with a higher limit as apiKey (TRACER_API_KEY).',
};

/** Checks the shape, because each of Jest's environments has its own `Error`. An AggregateError of several addresses has only a code. */
function readReason(error: unknown): string {
  const { cause } = Object(error) as Error;
  const { message, code } = Object(cause ?? error) as Partial<NodeJS.ErrnoException>;
  return message?.trim() || code || String(error);
}
