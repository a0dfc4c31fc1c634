import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.mjs';

const CHILD = fileURLToPath(new URL('request-path-child.mjs', import.meta.url));
const HERE = fileURLToPath(new URL('../../', import.meta.url));
/** Share of the fastest batches that count: other work on the machine only adds time. */
const QUIET_SHARE = 0.05;

/**
 * Compares the request path of this tree with that of another built tree: µs per request of an untraced route, without sockets.
 * The two alternate in slices of some milliseconds. Each launch is a pair of fresh processes.
 */
export async function compareRequestPath(tree, { launches, slices }) {
  // A fresh home: one of the builds might otherwise send spooled records of other processes, and a process with a context
  // pays more per promise after its first promise-based file read.
  const state = mkdtempSync(join(tmpdir(), 'dacapo-request-path-'));
  try {
    return await compareIn(state, tree, { launches, slices });
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

async function compareIn(state, tree, { launches, slices }) {
  const rows = [];
  for (const platform of ['express', 'fastify']) {
    for (const arm of ['module', 'interceptor']) {
      process.stderr.write(`· ${platform}, ${arm}\n`);
      const pairs = [];
      for (let launch = 0; launch < launches; launch++)
        pairs.push(await measurePair(state, tree, platform, arm, slices));
      const ratios = pairs.map(({ here, there }) => here / there);
      rows.push({
        platform,
        arm,
        'µs here': Number(median(pairs.map(({ here }) => here)).toFixed(2)),
        'µs there': Number(median(pairs.map(({ there }) => there)).toFixed(2)),
        ratio: Number(median(ratios).toFixed(3)),
        lowest: Number(Math.min(...ratios).toFixed(3)),
        highest: Number(Math.max(...ratios).toFixed(3)),
      });
    }
  }
  return rows;
}

async function measurePair(state, tree, platform, arm, slices) {
  const sides = [await start(state, HERE, platform, arm), await start(state, tree, platform, arm)];
  const figures = [[], []];
  for (let warmUp = 0; warmUp < 3; warmUp++) for (const child of sides) await run(child, 100);
  for (let slice = 0; slice < slices; slice++) {
    for (const side of slice % 2 === 0 ? [0, 1] : [1, 0]) figures[side].push(...(await run(sides[side], 12)));
  }
  for (const child of sides) child.kill();
  const [here, there] = figures.map(quiet);
  return { here, there };
}

function quiet(figures) {
  return figures.sort((a, b) => a - b)[Math.floor(figures.length * QUIET_SHARE)];
}

async function start(state, tree, platform, arm) {
  const env = { ...process.env, NODE_ENV: 'production', XDG_STATE_HOME: state, LOCALAPPDATA: state };
  const child = fork(CHILD, [tree, platform, arm], { env });
  await once(child, 'message');
  return child;
}

async function run(child, batches) {
  child.send(batches);
  const [figures] = await once(child, 'message');
  return figures;
}
