import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

async function run(nodeEnv: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_ENV: nodeEnv, NO_COLOR: '1' };
  const program = [join(__dirname, 'missing-module.mjs'), ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { env });
  return stdout + stderr;
}

const WARNING =
  '@Traced on Orders.below records nothing: this process has no TracerModule. Import TracerModule.forRoot()';

describe('a method with @Traced in an application without a TracerModule', () => {
  it('runs and warns once', async () => {
    const printed = await run('production');
    expect(printed.split(WARNING)).toHaveLength(2);
    expect(printed).toMatch(/^3$/m);
  });

  it('does not warn in unit tests', async () => {
    expect(await run('test')).not.toContain('records nothing');
  });

  it('does not warn if the process has a module', async () => {
    expect(await run('production', 'module')).not.toContain('records nothing');
  });
});
