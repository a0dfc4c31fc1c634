import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { RecordingService } from '../libs/tracer/test/delivery/recording-service.js';
import { ROOT } from './processes/program.js';

/** An application that records with `count` tracers and exits at once. */
const application = (count: number) => `
  import { Tracer } from '@dacapo/tracer';
  for (let number = 0; number < ${count}; number++) {
    const tracer = new Tracer({
      apiKey: 'key-of-a-bundle',
      serviceUrl: process.env.URL,
      delivery: { atExit: 'send', spool: false, exitTimeoutMs: Number(process.env.TIMEOUT) },
      logger: { warn: () => undefined },
    });
    tracer.withSpan('answer', () => number)();
  }
  process.exit(0);
`;

describe('Sending at the end of a process, bundled by esbuild', () => {
  let service: RecordingService;
  let folder: string;

  beforeEach(async () => {
    service = await RecordingService.start();
    folder = mkdtempSync(join(tmpdir(), 'dacapo-bundle-'));
  });
  afterEach(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(count: number, timeoutMs: number, options: BuildOptions): Promise<number> {
    const entry = join(folder, 'application.mts');
    const outfile = join(folder, options.format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
    writeFileSync(entry, application(count));
    const banner = `import { createRequire as create } from 'node:module'; const require = create(import.meta.url);`;
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      logLevel: 'error',
      tsconfig: join(ROOT, 'tsconfig.json'),
      nodePaths: [join(ROOT, 'node_modules')],
      ...(options.format === 'esm' && { banner: { js: banner } }),
      ...options,
    });
    const env = {
      ...process.env,
      URL: service.url,
      TIMEOUT: `${timeoutMs}`,
      HOME: folder,
      XDG_STATE_HOME: folder,
    };
    const child = spawn(process.execPath, [outfile], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    const [code] = (await once(child, 'close')) as [number];
    return code;
  }

  it.each<[string, BuildOptions]>([
    ['unchanged', {}],
    ['minified', { minify: true }],
    ['minified, names kept', { minify: true, keepNames: true }],
    ['names kept', { keepNames: true }],
  ])('succeeds %s, as ES module and as CommonJS', async (_, options) => {
    for (const format of ['esm', 'cjs'] as const) {
      service.batches.length = 0;
      expect(await run(1, 20_000, { ...options, format })).toBe(0);
      expect(service.batches.map(({ lines }) => lines.length)).toEqual([1]);
    }
  });

  it('runs for all tracers at the same time, so a service that never answers delays no other', async () => {
    service.hold();
    expect(await run(5, 3000, { format: 'cjs' })).toBe(0);
    expect(service.mostAtOnce).toBe(5);
  });
});
