import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { FreshApplication } from './nest-add/fresh-application.js';

jest.setTimeout(120_000);

describe('nest add @dacapo/nestjs, in what nest new makes', () => {
  let application: FreshApplication;
  let said: string;

  beforeAll(async () => {
    application = await FreshApplication.make();
    said = await application.nest('add', '@dacapo/nestjs', '--skip-install');
  });

  afterAll(() => application.remove());

  it('imports TracerModule, and writes no file that the application would not read', async () => {
    expect(await application.read('src/app.module.ts')).toContain('imports: [TracerModule.forRoot()],');
    await expect(application.read('.env.example')).rejects.toThrow('ENOENT');
  });

  it('says what is left to do', () => {
    expect(said).toMatch(/Set TRACER_API_KEY in the environment.*@Traced\(\)/);
    expect(said).toMatch(/app\.enableShutdownHooks\(\)/);
  });

  it('leaves an application that builds and starts, tracing off without a key', async () => {
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
    expect(output).toMatch(/No apiKey given: tracing is off/);
    expect(output).toMatch(/Nest application successfully started/);
  });
});
