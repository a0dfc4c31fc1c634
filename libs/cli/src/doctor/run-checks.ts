import { allows, type Scope } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import {
  ApiKeyMissingError,
  CliError,
  ServiceRefusedError,
  ServiceUnreachableError,
  UnexpectedAnswerError,
} from '../errors.js';
import type { Connection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

const LIVE = API.service.live.path;
const REQUEST_TIMEOUT_MS = 10_000;
/** Clocks decide which calls are the newest, where a few seconds do not matter. HTTP dates are whole seconds. */
const ALLOWED_SKEW_MS = 5_000;
const TRACE_FUNCTION_KEY = 'dacapo.doctor';
const FLUSH_MS = 10_000;
const FORWARDED_WITHIN_MS = 60_000;

/** The clocks of the service and this machine differ too much. */
class ClockSkewError extends CliError {
  readonly code = 'CLI_CLOCK_SKEW';

  /** @param skewMs positive when the service is ahead */
  constructor(readonly skewMs: number) {
    const seconds = Math.abs(Math.round(skewMs / 1000));
    super(
      `The service's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this one. ` +
        'Synchronize both with NTP: the order of traces and durations across machines depend on them.',
    );
  }
}

/** The test span was not delivered, or cannot be read back. */
class SpanLostError extends CliError {
  readonly code = 'CLI_SPAN_LOST';

  constructor(options?: { cause: Error }) {
    super(
      options
        ? `The test span was not delivered: ${options.cause.message}`
        : "The test span was delivered but cannot be read back. See the service's log.",
      options,
    );
  }
}

/** Spans wait to be forwarded by OTLP. */
class ForwardingLateError extends CliError {
  readonly code = 'CLI_FORWARDING_LATE';

  constructor(spans: number, since: string, problem = "See the service's log") {
    super(`${spans} spans have waited to be forwarded since ${since}. ${problem}.`);
  }
}

export interface CheckResult {
  /** `service`, `clock`, `key`, `span`, or a check of a database such as `PostgreSQL version`. */
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'skipped';
  /** What was found, and what to do if the check failed. */
  readonly detail: string;
}

/** Runs the checks in order; those that need a failed one are skipped. */
export async function runChecks(connection: Connection): Promise<CheckResult[]> {
  const client = new ServiceClient(connection);
  const service = await runCheck('service', () => checkService(connection.url));
  const clock = await runCheck('clock', () => checkClock(connection.url), [service]);
  let scopes: readonly Scope[] = [];
  const key = await runCheck(
    'key',
    async () => {
      if (connection.apiKey === '') throw new ApiKeyMissingError();
      const account = await client.api.accounts.get();
      ({ scopes } = account);
      return `accepted for account "${account.name}" (${account.id}); scopes: ${scopes.join(', ')}`;
    },
    [service],
  );
  const may = (scope: Scope): boolean => allows(scopes, scope);
  const span =
    key.status === 'ok' && !may('ingest')
      ? skip('span', 'a key with the scope ingest')
      : await runCheck('span', () => checkSpan(connection, client, may('read')), [service, key]);
  const forwarding = await runCheck('forwarding', () => checkForwarding(client), [service]);
  return [service, clock, key, span, ...(forwarding.detail === NO_FORWARDING ? [] : [forwarding])];
}

function skip(name: CheckResult['name'], needed: string): CheckResult {
  return { name, status: 'skipped', detail: `needs ${needed}` };
}

async function runCheck(
  name: CheckResult['name'],
  check: () => Promise<string>,
  needed: readonly CheckResult[] = [],
): Promise<CheckResult> {
  const missing = needed.find(({ status }) => status !== 'ok');
  if (missing) return skip(name, missing.name);
  try {
    return { name, status: 'ok', detail: await check() };
  } catch (error) {
    return { name, status: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}

const NO_FORWARDING = 'the service forwards no spans';

/** @throws ForwardingLateError when spans have waited for more than a minute */
async function checkForwarding(client: ServiceClient): Promise<string> {
  const { forwarding } = await client.api.service.ready();
  if (forwarding === undefined) return NO_FORWARDING;
  const { waiting_spans: spans, waiting_since: since, problem } = forwarding;
  if (since !== undefined && Date.parse(since) < Date.now() - FORWARDED_WITHIN_MS)
    throw new ForwardingLateError(spans, since, problem);
  return `${spans} spans wait to be forwarded`;
}

/** @throws ServiceUnreachableError, UnexpectedAnswerError */
async function checkService(url: string): Promise<string> {
  const startedAt = performance.now();
  await ask(url);
  return `${url} answers in ${Math.round(performance.now() - startedAt)} ms`;
}

/** @throws ClockSkewError when the service's clock and this one are more than 5 s apart */
async function checkClock(url: string): Promise<string> {
  const sentAt = Date.now();
  const { headers } = await ask(url);
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return 'the service sends no date, so the clocks were not compared';
  const skewMs = date + 500 - (sentAt + Date.now()) / 2;
  if (Math.abs(skewMs) > ALLOWED_SKEW_MS) throw new ClockSkewError(skewMs);
  return 'this clock and the service agree';
}

async function ask(url: string): Promise<Response> {
  let response: Response;
  let answer: string;
  try {
    response = await fetch(url + LIVE, {
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    answer = await response.text();
  } catch (cause) {
    throw new ServiceUnreachableError(url, { cause });
  }
  if (!response.ok) throw new UnexpectedAnswerError(url, `answered ${response.status} at ${LIVE}`);
  if (!/^\{\s*"status"\s*:\s*"ok"/.test(answer))
    throw new UnexpectedAnswerError(url, `does not answer like a Dacapo service at ${LIVE}`);
  return response;
}

/**
 * Sends one span like an application, and reads it back if the key may read.
 *
 * @throws SpanLostError when it is not stored
 */
async function checkSpan(
  { url, apiKey }: Connection,
  client: ServiceClient,
  mayRead: boolean,
): Promise<string> {
  const { Tracer } = await import('@dacapo/tracer');
  const failures: Error[] = [];
  const tracer = new Tracer({
    serviceUrl: url,
    apiKey,
    onError: (error) => failures.push(error),
    logger: { warn: () => undefined },
  });
  const startedAt = performance.now();
  const examine = tracer.withSpan(TRACE_FUNCTION_KEY, () => tracer.getCurrentSpan().traceId);
  const traceId = examine();
  await tracer.flush(FLUSH_MS);
  await tracer.shutdown(FLUSH_MS);
  if (failures[0]) throw new SpanLostError({ cause: failures[0] });

  const ms = (): number => Math.round(performance.now() - startedAt);
  // The service has answered that it stored the span.
  if (!mayRead)
    return `stored in ${ms()} ms (trace ${traceId}); not read back, because the key has no scope "read"`;
  await readBack(client, traceId);
  return `sent and read back in ${ms()} ms (trace ${traceId})`;
}

async function readBack(client: ServiceClient, traceId: string): Promise<void> {
  try {
    await client.api.traces.get({ id: traceId });
  } catch (error) {
    throw error instanceof ServiceRefusedError && error.status === 404 ? new SpanLostError() : error;
  }
}
