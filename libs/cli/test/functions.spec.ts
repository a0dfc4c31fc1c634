import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, openAccount } from './running-service.js';
import { removeFolder } from '../../../test/support/remove-folder.js';

const SOURCE = `function Classify(text: string) -> "billing" | "technical" {
  client Main
  prompt #"{{ text }}"#
}
`;

describe('dacapo functions', () => {
  let service: Account;
  let folder: string;
  let file: string;

  beforeEach(async () => {
    service = await openAccount();
    folder = await mkdtemp(join(tmpdir(), 'dacapo-functions-'));
    file = join(folder, 'classify.baml');
    await writeFile(file, SOURCE);
  });
  afterEach(async () => {
    await removeFolder(folder);
  });

  it('pushes a version, lists it, and prints its source', async () => {
    expect(await service.json('functions', 'push', file, '--note', 'first')).toMatchObject({
      name: 'Classify',
      version: 1,
      entry: 'Classify',
      note: 'first',
      is_active: true,
    });
    const { out } = await service.run('functions', 'list');
    expect(out).toMatch(/^ACTIVE +VERSIONS +UPDATED +NAME\n1 +1 +\S+ +Classify\n$/);
    expect((await service.run('functions', 'list', 'Classify')).out).toContain('first');
    expect((await service.run('functions', 'pull', 'Classify')).out).toBe(SOURCE);
  });

  it('pushes without activating, activates, and rolls back', async () => {
    await service.json('functions', 'push', file);
    await writeFile(file, SOURCE.replace('{{ text }}', 'Please: {{ text }}'));
    const pushed = await service.run('functions', 'push', file, '--no-activate');
    expect(pushed.out).toBe(
      'Classify version 2. Not active. Activate it with: dacapo functions activate Classify 2\n',
    );
    expect((await service.run('functions', 'pull', 'Classify')).out).not.toContain('Please');
    expect((await service.run('functions', 'pull', 'Classify', '2')).out).toContain('Please');
    await service.json('functions', 'activate', 'Classify', '2');
    expect((await service.run('functions', 'pull', 'Classify')).out).toContain('Please');
    const back = await service.run('functions', 'activate', 'Classify', '1');
    expect(back.out).toBe('Calls of Classify run version 1 from now on.\n');
  });

  it('reads a folder, and asks for the entry function when there are several', async () => {
    await writeFile(join(folder, 'other.baml'), SOURCE.replace('Classify', 'Other'));
    const result = await service.run('functions', 'push', folder);
    expect(result.exitCode).toBe(1);
    expect(result.err).toContain('declares Classify, Other. Choose one with --entry');
    const pushed = await service.json(
      'functions',
      'push',
      folder,
      '--entry',
      'Other',
      '--name',
      'support.other',
    );
    expect(pushed).toMatchObject({ name: 'support.other', entry: 'Other' });
  });

  it('writes TypeScript types of inputs and outputs', async () => {
    await service.json('functions', 'push', file);
    const out = join(folder, 'types', 'functions.d.ts');
    expect((await service.run('functions', 'types', '--out', out)).out).toBe(`1 function → ${out}\n`);
    const types = await readFile(out, 'utf8');
    expect(types).toContain("export type ClassifyOutput = 'billing' | 'technical';");
    expect((await service.run('functions', 'types', 'Classify')).out).toBe(types);
  });

  it.each([
    [['push', '/nowhere.baml'], 1, 'CLI_PATH_UNREADABLE'],
    [['pull', 'Nope'], 1, 'Function Nope not found'],
    [['activate', 'Nope', 'two'], 2, 'whole number of at least 1'],
    [['activate', 'Nope', '2'], 1, 'CLI_SERVICE_REFUSED'],
  ])('%j ends with %d and says what to do', async (argv, exitCode, message) => {
    const done = await service.run('functions', ...argv);
    expect(done.exitCode).toBe(exitCode);
    expect(done.err).toContain(message);
  });

  it('distinguishes an empty source from a missing one, and reports a file that cannot be written', async () => {
    await writeFile(file, '\n');
    expect((await service.run('functions', 'push', file)).err).toContain('CLI_NO_BAML_SOURCE');
    await writeFile(file, SOURCE);
    await service.json('functions', 'push', file);
    const refused = await service.run('functions', 'pull', 'Classify', '--out', join(file, 'below'));
    expect(refused.err).toContain('CLI_FILE_UNWRITABLE');
  });
});
