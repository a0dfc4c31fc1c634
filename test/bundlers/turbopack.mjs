/** Builds a Next.js application with Turbopack and starts it. Its route does the work. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { capture } from '../../scripts/progress.mjs';

const ROUTE = {
  esm: `
    import * as tracer from '@dacapo/tracer';
    import OpenAI from 'openai';
    import { work } from '../../work.mjs';
    export const dynamic = 'force-dynamic';
    export const GET = async () => Response.json(await work(tracer, { OpenAI }, () => import('@dacapo/evaluation'), process.env));
  `,
  cjs: `
    const tracer = require('@dacapo/tracer');
    const { OpenAI } = require('openai');
    const { work } = require('../../work.cjs');
    exports.dynamic = 'force-dynamic';
    exports.GET = async () => Response.json(await work(tracer, { OpenAI }, async () => require('@dacapo/evaluation'), process.env));
  `,
};

const STARTED_WITHIN_MS = 20_000;

/** @returns the response of the route @throws if the build fails or the route does not respond */
export async function runWithTurbopack({ folder, files, kind, minify, env }) {
  mkdirSync(join(folder, 'app/work'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(
    join(folder, 'app/layout.jsx'),
    'export default ({ children }) => <html><body>{children}</body></html>;',
  );
  writeFileSync(join(folder, 'app/work/route.js'), ROUTE[kind]);
  writeFileSync(
    join(folder, 'next.config.mjs'),
    `export default { experimental: { turbopackMinify: ${minify} }, turbopack: { root: ${JSON.stringify(folder)} } };`,
  );
  const next = join(folder, 'node_modules/next/dist/bin/next');
  const ownEnv = { ...process.env, ...env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  const built = await capture(process.execPath, [next, 'build', '--turbopack'], { cwd: folder, env: ownEnv });
  if (built.code !== 0) throw new Error(built.output);
  const server = spawn(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: folder,
    env: ownEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const url = await readAddress(server);
    const answer = await fetch(`${url}/work`);
    if (!answer.ok) throw new Error(`The route answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  } finally {
    server.kill();
  }
}

async function readAddress(server) {
  let output = '';
  server.stdout.on('data', (chunk) => (output += chunk));
  server.stderr.on('data', (chunk) => (output += chunk));
  for (const endsAt = performance.now() + STARTED_WITHIN_MS; performance.now() < endsAt;) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    if (url !== undefined && /Ready/.test(output)) return url;
    await setTimeout(50);
  }
  throw new Error(`next start printed no address: ${output}`);
}
