import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../../test/support/remove-folder.js';
import { findEvalFiles } from './find-eval-files.js';

describe('findEvalFiles', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-eval-'));
    const files = [
      'b.eval.ts',
      'a.eval.mjs',
      'c.ts',
      'sub/d.eval.cts',
      'node_modules/e.eval.js',
      'dist/f.eval.js',
    ];
    for (const path of ['sub', 'node_modules', 'dist', 'empty']) await mkdir(join(folder, path));
    for (const file of files) await writeFile(join(folder, file), '');
  });
  afterAll(() => removeFolder(folder));

  it.each<[string, string[], string[]]>([
    ['everything below the working directory', [], ['a.eval.mjs', 'b.eval.ts', 'sub/d.eval.cts']],
    ['a folder', ['sub'], ['sub/d.eval.cts']],
    ['a file, whatever its name', ['c.ts'], ['c.ts']],
    ['a pattern', ['*.eval.*'], ['a.eval.mjs', 'b.eval.ts']],
    ['several words, each file once', ['sub', '**/*.eval.cts', 'b.eval.ts'], ['sub/d.eval.cts', 'b.eval.ts']],
  ])('finds %s', async (_, words, files) => {
    expect(await findEvalFiles(words, folder)).toEqual(files);
  });

  it('refuses a missing file, and a folder or pattern without eval files', async () => {
    await expect(findEvalFiles(['none.eval.ts'], folder)).rejects.toThrow('none.eval.ts: does not exist.');
    await expect(findEvalFiles(['empty'], folder)).rejects.toThrow('No eval file found in empty.');
    await expect(findEvalFiles(['*.none'], folder)).rejects.toThrow('No eval file found in *.none.');
  });
});
