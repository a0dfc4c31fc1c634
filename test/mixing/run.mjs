/**
 * Loads the application in `libs/nestjs/test/mixing` on Nest 10, 11 and 12 with Express and Fastify for a minute each. No call may
 * be in another user's trace or session, no response may change, and memory must not grow.
 *
 * Run `npm run test:mixing`, `npm run test:mixing -- --nest 10`, `--platform fastify` or `--seconds 5`. Needs the npm registry.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { transformFileSync } from '@swc/core';
import { build } from '../../scripts/build.mjs';
import { installPackages } from '../../scripts/npm.mjs';
import { pack } from '../../scripts/pack.mjs';
import { capture, runMain } from '../../scripts/progress.mjs';
import { ROOT } from '../../scripts/workspace.mjs';

/** Package versions by Nest version: core, Fastify adapter, microservices, CQRS, event emitter and BullMQ. */
const VERSIONS = {
  10: ['10.4.22', '10.4.22', '10.4.22', '10.2.8', '2.1.1', '10.2.3'],
  11: ['11.2.10', '11.2.8', '11.2.6', '11.0.3', '3.1.0', '11.0.5'],
  12: ['12.5.1', '12.5.0', '12.1.1', '12.0.0', '12.0.1', '12.0.0'],
};

/** Source files of the application. */
const SOURCES = [
  'libs/nestjs/test/mixing',
  'libs/nestjs/test/transports/external-server.ts',
  'libs/nestjs/test/transports/free-port.ts',
  'libs/nestjs/test/transports/redis-server.ts',
  'libs/tracer/test/observables/creation-cases.ts',
  'libs/tracer/test/observables/kit.ts',
  'libs/tracer/test/observables/operator-cases.ts',
];

const { values: options } = parseArgs({
  options: {
    nest: { type: 'string' },
    platform: { type: 'string' },
    seconds: { type: 'string', default: '60' },
  },
});

await runMain(async () => {
  const work = mkdtempSync(join(tmpdir(), 'dacapo-mixing-'));
  try {
    await build(['nestjs']);
    const tarballs = await pack(['nestjs'], work);
    for (const major of Object.keys(VERSIONS).filter((version) => version === (options.nest ?? version))) {
      const cwd = join(work, `nest-${major}`);
      await install(cwd, major, tarballs);
      for (const platform of ['express', 'fastify'].filter((name) => name === (options.platform ?? name)))
        await load(cwd, `Nest ${major}, ${platform}`, platform);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});

async function install(cwd, major, tarballs) {
  const [core, fastify, microservices, cqrs, emitter, bullmq] = VERSIONS[major];
  const dependencies = {
    ...tarballs,
    '@nestjs/bullmq': bullmq,
    '@nestjs/common': core,
    '@nestjs/core': core,
    '@nestjs/cqrs': cqrs,
    '@nestjs/event-emitter': emitter,
    '@nestjs/microservices': microservices,
    '@nestjs/platform-express': core,
    '@nestjs/platform-fastify': fastify,
    bullmq: major === '12' ? '6.7.0' : '5.61.0',
    dataloader: '2.2.3',
    // BullMQ 6 no longer brings it.
    ioredis: '5.11.1',
    'reflect-metadata': '0.2.2',
    rxjs: '7.8.2',
  };
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, dependencies }, null, 2));
  for (const source of SOURCES) transpile(source, cwd);
  await installPackages(`Nest ${major}: installing`, ['install'], { cwd });
}

/** Compiles to CommonJS, which Nest 10 to 12 support. */
function transpile(source, cwd) {
  if (!source.endsWith('.ts')) {
    const files = readdirSync(join(ROOT, source)).filter((name) => /(?<!\.spec)\.ts$/.test(name));
    for (const name of files) transpile(`${source}/${name}`, cwd);
    return;
  }
  const { code } = transformFileSync(join(ROOT, source), {
    swcrc: false,
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      target: 'es2022',
      keepClassNames: true,
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
    module: { type: 'commonjs' },
  });
  const folder = join(cwd, source, '..');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, basename(source).replace(/\.ts$/, '.js')), code);
}

async function load(cwd, name, platform) {
  const args = ['--expose-gc', 'libs/nestjs/test/mixing/main.js', platform, options.seconds];
  const { code, output } = await capture(process.execPath, args, { cwd });
  const isGood = code === 0;
  process.stdout.write(
    `${isGood ? '✓' : '✗'} ${name}: ${isGood ? output.trim().split('\n').at(-1) : `\n${output}`}\n`,
  );
  if (!isGood) process.exitCode = 1;
}
