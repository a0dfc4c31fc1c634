import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Page, TraceSummary } from '@dacapo/protocol';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { readPort } from './processes/read-port.js';
import { FreshApplication } from './nest-add/fresh-application.js';

const PRINT_PORT = join(ROOT, 'test/processes/print-port.cjs');

describe('nest add @dacapo/nestjs in a new application of nest new', () => {
  let application: FreshApplication;
  let added: string;
  let service: DacapoServe;

  beforeAll(async () => {
    service = await startDacapoServe();
    application = await FreshApplication.make();
    added = await application.nest('add', '@dacapo/nestjs', '--skip-install');
  });

  afterAll(async () => {
    await service.close();
    await application.remove();
  });

  it('imports TracerModule, enables shutdown hooks and loads .env', async () => {
    expect(await application.read('src/app.module.ts')).toContain('imports: [TracerModule.forRoot()],');
    const main = await application.read('src/main.ts');
    expect(main).toContain('app.enableShutdownHooks();');
    expect(main).toContain("process.loadEnvFile('.env');");
    expect(await application.read('.env')).toContain('TRACER_API_KEY=');
  });

  it('adds the packages that it needs, also with --skip-install', async () => {
    expect(JSON.parse(await application.read('package.json'))).toMatchObject({
      dependencies: { '@dacapo/nestjs': expect.any(String) },
      devDependencies: { '@dacapo/cli': expect.any(String) },
    });
  });

  it('prints the remaining steps', () => {
    expect(added).toMatch(/put the key that it prints into \.env/);
    expect(added).toMatch(/dacapo init --method Service\.method/);
  });

  it('creates an application that builds and starts, with tracing off if there is no key', async () => {
    await application.nest('build');
    const started = spawn(process.execPath, ['dist/main.js'], {
      cwd: application.folder,
      env: { ...process.env, TRACER_API_KEY: '', PORT: '0' },
    });
    let output = '';
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('successfully started')) started.kill();
      });
    }
    await once(started, 'close');
    expect(output).toMatch(/TracerModule dependencies initialized/);
    expect(output).toMatch(/No apiKey: tracing is off/);
    expect(output).toMatch(/Nest application successfully started/);
  });

  it('lets the application of docs/nestjs.md record a request as a trace and replay its call', async () => {
    await application.writeFiles('docs/nestjs.md');
    await application.nest('build');
    const server = spawn(process.execPath, ['--require', PRINT_PORT, 'dist/main.js'], {
      cwd: application.folder,
      env: { ...process.env, ...service.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const answer = await fetch(`http://127.0.0.1:${await readPort(server.stdout)}/tickets`, {
      method: 'POST',
      body: new URLSearchParams({ message: 'My invoice is wrong.' }),
    });
    expect(await answer.json()).toEqual({ category: 'billing' });
    server.kill('SIGTERM');
    await once(server, 'close');

    const { items } = await service.get<Page<TraceSummary>>('/traces');
    expect(items).toMatchObject([{ name: 'POST /tickets', span_count: 2, status: 'ok' }]);
    expect(await application.node('dist/replay.js', service.env)).toBe(
      'My invoice is wrong. billing billing\n1 calls replayed\n',
    );
  });
});
