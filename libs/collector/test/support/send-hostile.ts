import { API } from '@dacapo/protocol/api';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { HostileBody } from './hostile-otlp.js';

/** What a collector did while it handled a hostile body. */
export interface HostileOutcome {
  /** The status of the response to the body. */
  readonly status: number;
  /** The statuses of `/health/live` meanwhile. */
  readonly probes: readonly number[];
  readonly longestProbeMs: number;
}

/** Sends a body with gzip, and probes the collector until it answers. */
export async function sendHostile(
  collector: { readonly url: string; readonly apiKey?: string },
  { type, make }: HostileBody,
): Promise<HostileOutcome> {
  const body = gzipSync(make(), { level: 1 });
  const sending = { isDone: false };
  const probes: number[] = [];
  let longestProbeMs = 0;
  const probing = (async () => {
    while (!sending.isDone) {
      const start = performance.now();
      probes.push((await fetch(new URL(API.service.live.path, collector.url))).status);
      longestProbeMs = Math.max(longestProbeMs, performance.now() - start);
    }
  })();
  const status = await post(new URL(API.otlp.send.path, collector.url), body, {
    authorization: `Bearer ${collector.apiKey ?? ''}`,
    'content-type': type,
    'content-encoding': 'gzip',
    'content-length': String(body.length),
  });
  sending.isDone = true;
  await probing;
  return { status, probes, longestProbeMs };
}

function post(url: URL, body: Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', headers }, (answer) => {
      answer.resume().once('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    })
      .once('error', reject)
      .end(body);
  });
}
