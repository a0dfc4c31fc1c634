/**
 * Runs one application with the packed packages and @nestjs/observe, @sentry/nestjs, nestjs-cls, nestjs-pino and
 * OpenTelemetry with its instrumentations. Uses Nest 11, and Nest 12 without Sentry, which does not support it yet.
 *
 * Run `npm run test:beside`. Needs the npm registry, but no other network: the other packages send to loopback.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';
import { installPackages } from '../../scripts/npm.mjs';
import { pack } from '../../scripts/pack.mjs';
import { capture, runMain } from '../../scripts/progress.mjs';
import { ROOT } from '../../scripts/workspace.mjs';

const BESIDE = {
  '@nestjs/observe': '0.3.3',
  '@opentelemetry/api': '1.10.0',
  '@opentelemetry/auto-instrumentations-node': '0.82.0',
  '@opentelemetry/sdk-node': '0.301.0',
  'nestjs-cls': '7.0.0',
  'nestjs-pino': '5.2.1',
  pino: '10.4.0',
  'pino-http': '11.0.0',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
};
const nest = (version) =>
  Object.fromEntries(['common', 'core', 'platform-express'].map((name) => [`@nestjs/${name}`, version]));
const APPLICATIONS = {
  'Nest 11': { ...BESIDE, ...nest('11.2.10'), '@sentry/nestjs': '10.75.3' },
  'Nest 12': { ...BESIDE, ...nest('12.5.1') },
};

await runMain(async () => {
  const work = mkdtempSync(join(tmpdir(), 'dacapo-beside-'));
  const observed = createServer((request, response) => {
    request.resume().once('end', () => response.end('{}'));
  });
  await new Promise((resolve) => observed.listen(0, '127.0.0.1', resolve));
  const chosen = Object.entries(APPLICATIONS).filter(([name]) => name.includes(process.argv[2] ?? ''));
  try {
    await build(['nestjs', 'collector']);
    const tarballs = await pack(['nestjs'], join(work, 'tarballs'));
    const { startCollector } = await import('@dacapo/collector');
    for (const [name, dependencies] of chosen) {
      const cwd = join(work, name);
      await install(cwd, { ...dependencies, ...tarballs }, name);
      const collector = await startCollector({ port: 0, dataDir: join(work, `${name} data`) });
      const env = {
        ...process.env,
        TRACER_SERVICE_URL: collector.url,
        TRACER_API_KEY: collector.apiKey,
        OBSERVE_ENDPOINT: `http://127.0.0.1:${observed.address().port}`,
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      };
      const { code, output } = await capture(process.execPath, ['app.cjs'], { cwd, env });
      await collector.close();
      const report = code === 0 ? output.trim().split('\n').at(-1) : `\n${output}`;
      process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name}: ${report}\n`);
      if (code !== 0) process.exitCode = 1;
    }
  } finally {
    observed.close();
    observed.closeAllConnections();
    rmSync(work, { recursive: true, force: true });
  }
});

async function install(cwd, dependencies, name) {
  cpSync(join(ROOT, 'test/beside'), cwd, { recursive: true });
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, dependencies }, null, 2));
  await installPackages(`${name}: installing`, ['install'], { cwd });
}
