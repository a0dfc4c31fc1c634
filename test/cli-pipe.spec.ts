import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from './processes/program.js';

describe('dacapo', () => {
  it.each([
    [['replay', '--help'], 0],
    [['keys', 'list', '--url', 'none'], 2],
  ])('keeps its exit code when the reader closes the pipe: %j', async (args, exitCode) => {
    const child = spawn(process.execPath, [join(ROOT, 'libs/cli/bin/dacapo.cjs'), ...args]);
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([
      text(child.stderr),
      once(child, 'exit') as Promise<[number]>,
    ]);
    expect(stderr).not.toContain('EPIPE');
    expect(code).toBe(exitCode);
  });

  it('reads key and address from .env in the working directory', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'dacapo-env-'));
    await writeFile(join(cwd, '.env'), 'TRACER_API_KEY=dcp_file\nTRACER_SERVICE_URL=http://127.0.0.1:9\n');
    const env = { ...process.env };
    delete env.TRACER_API_KEY;
    delete env.TRACER_SERVICE_URL;
    const child = spawn(process.execPath, [join(ROOT, 'libs/cli/bin/dacapo.cjs'), 'keys', 'list'], {
      cwd,
      env,
    });
    const [stderr, [code]] = await Promise.all([
      text(child.stderr),
      once(child, 'exit') as Promise<[number]>,
    ]);
    await rm(cwd, { recursive: true });
    expect(stderr).toContain('No answer from http://127.0.0.1:9');
    expect(code).toBe(3);
  });
});
