import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from '../progress.mjs';
import { ROOT } from '../workspace.mjs';
import { StartFailure } from './failure.mjs';
import { request } from './service.mjs';

const WAIT_MS = 15_000;
const EVERY_MS = 100;

/** Waits for the root span of a trace, which arrives last. @throws StartFailure after 15 seconds */
export async function waitForTrace({ url, apiKey }, traceId) {
  const until = performance.now() + WAIT_MS;
  while (performance.now() < until) {
    const { status, body } = await request(`${url}/api/v1/traces/${traceId}`, { apiKey });
    if (status === 200 && body.spans.some(({ parent_id, ended_at }) => !parent_id && ended_at)) return body;
    await sleep(EVERY_MS);
  }
  throw new StartFailure(
    'A trace did not arrive',
    `The collector did not receive trace ${traceId} within ${WAIT_MS / 1000} s.`,
    'Run `npx dacapo doctor` to find out where spans are lost.',
  );
}

/** Returns the output of `dacapo traces show` for a trace. @throws StartFailure */
export async function showTrace({ url, apiKey }, traceId) {
  const isColored = process.stdout.isTTY && !process.env.NO_COLOR;
  const { code, output } = await capture(
    process.execPath,
    [join(ROOT, 'libs/cli/bin/dacapo.cjs'), 'traces', 'show', traceId],
    {
      env: {
        ...process.env,
        TRACER_SERVICE_URL: url,
        TRACER_API_KEY: apiKey,
        ...(isColored && { FORCE_COLOR: '1' }),
      },
    },
  );
  if (code === 0) return output.trimEnd();
  throw new StartFailure('Could not show a trace', output, 'Run `npx dacapo doctor` to find the cause.');
}
