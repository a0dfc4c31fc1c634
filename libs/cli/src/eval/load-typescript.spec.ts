import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../../test/support/remove-folder.js';
import { registerTypeScript, type TypeScriptOptions } from './load-typescript.js';

describe('registerTypeScript', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'dacapo-eval-'))));
  afterAll(() => removeFolder(folder));

  const register = (file: string, options: Partial<TypeScriptOptions>) =>
    registerTypeScript(join(folder, file), { env: {}, execArgv: [], stripsTypes: false, ...options });

  it('loads nothing for JavaScript', async () => {
    for (const file of ['a.eval.js', 'a.eval.mjs', 'a.eval.cjs'])
      expect(await register(file, {})).toBeUndefined();
  });

  it('uses the loader that Node was started with', async () => {
    const started = { name: 'the loader that Node was started with' };
    expect(await register('a.eval.ts', { env: { NODE_OPTIONS: '--import tsx' } })).toEqual(started);
    expect(
      await register('a.eval.mts', { execArgv: ['--import', '@swc-node/register/esm-register'] }),
    ).toEqual(started);
  });

  it('uses type stripping of Node when the project has no loader', async () => {
    expect(await register('a.eval.ts', { stripsTypes: true, execArgv: ['--enable-source-maps'] })).toEqual({
      name: `Node ${process.versions.node}`,
    });
  });

  it('says what to install when nothing can load TypeScript', async () => {
    await expect(register('a.eval.cts', {})).rejects.toThrow(
      /a\.eval\.cts cannot be loaded: .*Install one: npm i -D tsx\.$/,
    );
  });
});
