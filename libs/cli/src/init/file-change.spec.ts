import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../../test/support/remove-folder.js';
import { writeChanges } from './file-change.js';

describe('Changes of files', () => {
  it('are all reverted when one fails, also if that one cannot be reverted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dacapo-changes-'));
    await writeFile(join(folder, 'a.txt'), 'a\n');
    const changes = [
      { path: 'a.txt', before: 'a\n', after: 'changed\n' },
      { path: 'a.txt/below', before: undefined, after: 'new\n' },
    ];
    await expect(writeChanges(folder, changes)).rejects.toThrow();
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
    await removeFolder(folder);
  });
});
