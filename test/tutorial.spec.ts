import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FreshApplication } from './nest-add/fresh-application.js';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { readPort } from './processes/read-port.js';
import { applyChange, findMissingLines, readSteps, type Step } from './tutorial/read-steps.js';

const PRINT_PORT = join(ROOT, 'test/processes/print-port.cjs');
/** The commands of the reader, and how this test runs them without installing packages. */
const COMMANDS = [
  ['npm run build', `"${process.execPath}" "${join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js')}" build`],
  ['npx dacapo', `"${process.execPath}" "${join(ROOT, 'libs/cli/bin/dacapo.cjs')}"`],
] as const;

/** A reader who does what the tutorial says, from the first block to the last. */
class Reader {
  private output = '';
  private stopApplication: () => Promise<void> = async () => undefined;

  constructor(
    private readonly application: FreshApplication,
    private readonly env: Record<string, string>,
  ) {}

  async follow({ does, detail, code }: Step): Promise<void> {
    switch (does) {
      case 'setup':
        if (detail === 'start') await this.startApplication();
        return;
      case 'file':
        return this.write(detail, code);
      case 'change':
        // The reader stops the application first, which also delivers its last records.
        await this.stop();
        return this.write(detail, applyChange(await this.application.read(detail), code));
      case 'run':
        expect({ code, exit: await this.run(code) }).toEqual({
          code,
          exit: Number(detail.replace('exit ', '')),
        });
        return;
      case 'prints':
        expect({ missing: findMissingLines(code, this.output), printed: this.output }).toEqual({
          missing: [],
          printed: this.output,
        });
    }
  }

  /** Runs commands as a shell does that stops at the first failure, and returns the exit code. */
  async run(commands: string): Promise<number> {
    const [, runId = ''] = /\/test-runs\/(\S+)/.exec(this.output) ?? [];
    const script = COMMANDS.reduce((text, [typed, run]) => text.replaceAll(typed, run), commands);
    const run = promisify(execFile)('bash', ['-e', '-c', script.replaceAll('<run>', runId)], {
      cwd: this.application.folder,
      env: { ...process.env, ...this.env },
    });
    // Rejects with the exit code and the output.
    const { stdout, code = 0 } = await run.then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: unknown) => error as { stdout: string; code?: number },
    );
    this.output = stdout;
    return code;
  }

  async stop(): Promise<void> {
    await this.stopApplication();
  }

  private async write(path: string, text: string): Promise<void> {
    const target = join(this.application.folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  private async startApplication(): Promise<void> {
    const server = spawn(process.execPath, ['--require', PRINT_PORT, 'dist/main.js'], {
      cwd: this.application.folder,
      env: { ...process.env, ...this.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.env['PORT'] = await readPort(server.stdout);
    this.stopApplication = async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill('SIGTERM');
      await once(server, 'close');
    };
  }
}

const STEPS = readSteps(readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8'));

describe('docs/tutorial.md', () => {
  let service: DacapoServe;
  let application: FreshApplication;
  let reader: Reader;

  beforeAll(async () => {
    service = await startDacapoServe();
    application = await FreshApplication.make();
    reader = new Reader(application, { ...service.env });
  });

  afterAll(async () => {
    await reader.stop();
    await service.close();
    await application.remove();
  });

  it.each(STEPS.map((step, index) => ({ ...step, number: index + 1 })))(
    'works at block $number: $does $detail',
    (step) => reader.follow(step),
  );

  it('shows a workflow whose replay passes after the last step', async () => {
    const workflow = STEPS.find(({ detail }) => detail === '.github/workflows/replay.yml');
    const [, command = ''] = /- run: \|\n([^]*?)\n {6}- /.exec(workflow?.code ?? '') ?? [];
    expect(command).toContain('npx dacapo replay');
    expect(await reader.run(`npm run build\n${command}`)).toBe(0);
    expect(await application.read('replay.md')).toContain('Passed');
  });
});
