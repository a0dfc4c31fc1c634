import { ROUTES } from '@dacapo/protocol';
import { ClockSkewError, ServiceUnreachableError, UnexpectedAnswerError } from '../errors.js';

const TIMEOUT_MS = 10_000;
/** Timestamps decide which calls are the newest; a few seconds do not matter there. HTTP dates are whole seconds. */
const ALLOWED_SKEW_MS = 5_000;

/** @throws ServiceUnreachableError, UnexpectedAnswerError */
export async function checkService(url: string): Promise<string> {
  const startedAt = performance.now();
  await ask(url);
  return `${url} answers in ${Math.round(performance.now() - startedAt)} ms`;
}

/** @throws ClockSkewError when the service's clock and this one are more than 5 s apart */
export async function checkClock(url: string): Promise<string> {
  const sentAt = Date.now();
  const { headers } = await ask(url);
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return 'the service tells no time; not compared';
  const skewMs = date + 500 - (sentAt + Date.now()) / 2;
  if (Math.abs(skewMs) > ALLOWED_SKEW_MS) throw new ClockSkewError(skewMs);
  return 'this clock and the service agree';
}

async function ask(url: string): Promise<Response> {
  let response: Response;
  let answer: string;
  try {
    response = await fetch(url + ROUTES.live, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    answer = await response.text();
  } catch (cause) {
    throw new ServiceUnreachableError(url, { cause });
  }
  if (!response.ok) throw new UnexpectedAnswerError(url, `answered ${response.status} at ${ROUTES.live}`);
  if (!/^\{\s*"status"\s*:\s*"ok"/.test(answer))
    throw new UnexpectedAnswerError(url, `does not answer as a Dacapo service does at ${ROUTES.live}`);
  return response;
}
