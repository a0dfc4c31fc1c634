import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
});
