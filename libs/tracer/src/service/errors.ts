import { TracerError } from '../errors.js';

/** The service answered with an error. `detail` is the service's own sentence. */
export class ServiceResponseError extends TracerError {
  readonly code = 'TRACER_SERVICE_RESPONSE';

  constructor(
    readonly status: number,
    readonly detail: string,
    request: string,
  ) {
    super(`${request} was answered with ${status}: ${detail}. ${findCure(status)}`);
  }
}

/** The service could not be reached, or did not answer within the timeout. */
export class ServiceUnreachableError extends TracerError {
  readonly code = 'TRACER_SERVICE_UNREACHABLE';

  constructor(request: string, cause: unknown) {
    const reason = readReason(cause);
    // What OpenSSL says of an address with https, where http is spoken, names its own sources.
    const explanation = /wrong.version.number/i.test(reason)
      ? 'what listens there speaks no https. Write serviceUrl (TRACER_SERVICE_URL) with http://, or with the port that speaks https.'
      : `${reason}. Check that the service runs at serviceUrl (TRACER_SERVICE_URL) and can be reached from here.`;
    super(`${request} got no answer: ${explanation}`, { cause });
  }
}

function findCure(status: number): string {
  if (status < 300)
    return 'Set serviceUrl (TRACER_SERVICE_URL) to a Dacapo service, with no sign-in page before it.';
  return CURES[status] ?? 'See the service log for more.';
}

const CURES: Record<number, string> = {
  400: 'Correct what it names.',
  401: 'Pass a key of this service as apiKey (TRACER_API_KEY); keys are made in its dashboard.',
  403: 'Pass such a key as apiKey (TRACER_API_KEY).',
  404: 'Check the id, and that the key belongs to the account that holds it.',
  429: 'Ask less often, or pass a key with a higher limit as apiKey (TRACER_API_KEY).',
};

/** By shape: of Jest's environments each has an `Error` of its own. That of several addresses has a code and no message. */
function readReason(error: unknown): string {
  const { cause } = Object(error) as Error;
  const { message, code } = Object(cause ?? error) as Partial<NodeJS.ErrnoException>;
  return message?.trim() || code || String(error);
}
