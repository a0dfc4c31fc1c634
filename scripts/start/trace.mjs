import { setTimeout as sleep } from 'node:timers/promises';
import { StartFailure } from './failure.mjs';
import { request } from './service.mjs';

const WAIT_MS = 15_000;
const EVERY_MS = 100;

/** A trace once its root span has arrived, which is the last to be sent. @throws StartFailure after 15 seconds */
export async function waitForTrace({ url, apiKey }, traceId) {
  const until = performance.now() + WAIT_MS;
  while (performance.now() < until) {
    const { status, body } = await request(`${url}/api/v1/traces/${traceId}`, { apiKey });
    if (status === 200 && body.spans.some(({ parent_id, ended_at }) => !parent_id && ended_at)) return body;
    await sleep(EVERY_MS);
  }
  throw new StartFailure(
    'A trace did not arrive',
    `Trace ${traceId} is not with the collector after ${WAIT_MS / 1000} s.`,
    '`npx dacapo doctor` finds out where spans get lost.',
  );
}
