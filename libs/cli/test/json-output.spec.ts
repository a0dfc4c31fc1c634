import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../../test/support/remove-folder.js';
import { EXAMPLES } from '../src/output/examples.js';
import { splitLine } from './split-line.js';
import { type Account, openAccount } from './running-service.js';

/** Commands that other tests pipe, because they run applications, other programs, other machines, or until Ctrl+C. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  serve: 'serve.spec.ts',
  replay: 'test/cli-replay.spec.ts',
  rescore: 'test/cli-rescore.spec.ts',
  eval: 'test/cli-eval.spec.ts',
  'traces tail': 'traces.spec.ts',
  'indexes add-url': 'indexes-from-url.spec.ts',
  'indexes add-cli': 'indexes.spec.ts',
  export: 'transfer.spec.ts',
  completion: 'completion.spec.ts',
  'spool list': 'spool.spec.ts',
  'spool send': 'spool.spec.ts',
  'spool purge': 'spool.spec.ts',
};

describe('The output of a command with --json', () => {
  const home = process.cwd();
  let folder: string;
  let account: Account;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-json-'));
    process.chdir(folder);
    account = await openAccount();
    await account.json('datasets', 'create', 'tickets');
  });
  afterAll(async () => {
    process.chdir(home);
    await removeFolder(folder);
  });

  const commands = Object.entries(EXAMPLES).filter(([name]) => ELSEWHERE[name] === undefined);

  it.each(commands)('of `%s` is one line of JSON on stdout, or an error on stderr', async (_, example) => {
    const { exitCode, out, err } = await account.run(...splitLine(example), '--json');
    if (out === '') {
      expect(exitCode).not.toBe(0);
      expect(JSON.parse(err.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        error: { code: expect.any(String), message: expect.any(String) },
      });
      return;
    }
    expect(out.match(/\n/g)).toHaveLength(1);
    expect(typeof JSON.parse(out)).toBe('object');
  });
});
