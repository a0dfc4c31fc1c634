import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median, medianInterval } from './median.mjs';

const CHILD = fileURLToPath(new URL('route-child.mjs', import.meta.url));
/** `bare`: an empty context, the cost of any library with an `AsyncLocalStorage`. */
const ARMS = ['none', 'bare', 'module', 'enrich', 'interceptor'];

/**
 * Requests per second and CPU µs per request of an untraced route: without the module, with a bare context, with the module,
 * with `enrich`, and with its interceptor. Arms alternate within each round, and ratios compare arms of one round.
 */
export async function measureUntracedRoute(platform, { rounds, seconds }) {
  const servers = {};
  for (const arm of ARMS) servers[arm] = await start(platform, arm);
  const runs = Object.fromEntries(ARMS.map((arm) => [arm, []]));
  for (const arm of ARMS) await load(servers[arm], 2);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ARMS : [...ARMS].reverse();
    for (const arm of order) runs[arm].push(await load(servers[arm], seconds));
  }
  for (const { child } of Object.values(servers)) child.kill();
  return ARMS.map((arm) => ({
    platform,
    arm,
    'requests/s': Math.round(median(runs[arm].map(({ perSecond }) => perSecond))),
    'of none': round(median(ratios(runs, arm, 'perSecond', 'none'))),
    'CPU µs a request': Number(median(runs[arm].map(({ cpuUs }) => cpuUs)).toFixed(2)),
    'CPU of none': round(median(ratios(runs, arm, 'cpuUs', 'none'))),
    'CPU of bare': round(median(ratios(runs, arm, 'cpuUs', 'bare'))),
    '95 %': medianInterval(ratios(runs, arm, 'cpuUs', 'bare'))
      .map(round)
      .join(' to '),
  }));
}

function ratios(runs, arm, figure, base) {
  return runs[arm].map((run, at) => run[figure] / runs[base][at][figure]);
}

function round(ratio) {
  return Number(ratio.toFixed(3));
}

async function start(platform, arm) {
  const child = fork(CHILD, [platform, arm], { env: { ...process.env, NODE_ENV: 'production' } });
  const [{ port }] = await once(child, 'message');
  return { child, url: `http://127.0.0.1:${port}/plain` };
}

async function cpuUs(child) {
  child.send('cpu');
  const [{ cpuUs: spent }] = await once(child, 'message');
  return spent;
}

async function load({ child, url }, seconds) {
  const before = await cpuUs(child);
  const { requests } = await autocannon({ url, connections: 20, duration: seconds });
  return { perSecond: requests.average, cpuUs: ((await cpuUs(child)) - before) / requests.total };
}
