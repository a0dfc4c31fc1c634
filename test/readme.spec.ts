import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from '@swc/core';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';

jest.setTimeout(40_000);

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the code in README.md', () => {
  let service: DacapoServe;

  beforeAll(async () => {
    service = await startDacapoServe();
  });
  afterAll(() => service.close());

  /** What the block under `<!-- run: <name> -->` prints when it runs as it stands. */
  async function run(name: string): Promise<string> {
    const [, code = ''] =
      new RegExp(`<!-- run: ${name} -->\n\`\`\`[jt]s\n([^]*?)\n\`\`\``).exec(read('README.md')) ?? [];
    expect(code).not.toBe('');
    const { code: javascript } = transformSync(code, {
      swcrc: false,
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        target: 'es2022',
        transform: { legacyDecorator: true, decoratorMetadata: true },
      },
      module: { type: 'es6' },
    });
    const args = ['--input-type=module', '--eval', javascript];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...service.env },
    });
    return stdout;
  }

  it('records calls, replays them through a next version, and does both in NestJS', async () => {
    expect(await run('record')).toBe('billing other\n');

    const replayed = await run('replay');
    expect(replayed).toMatch('I was charged twice. billing billing\n');
    expect(replayed).toMatch('My refund is late. other billing\n');
    expect(replayed).toMatch(`Old beside new: ${service.url}/test-runs/`);

    expect(await run('nestjs')).toBe('3 calls played again\n');
  });
});

describe.each(['README.md', 'ARCHITECTURE.md', 'sample-app/README.md'])('%s', (document) => {
  const folder = join(ROOT, document, '..');

  it('links to files that exist', () => {
    const links = [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, path]) => path!);
    expect(links.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names files and folders that exist', () => {
    const paths = [
      ...read('ARCHITECTURE.md').matchAll(/`((?:libs|sample-app|test|scripts|bench|docs)\/[\w./-]*)`/g),
    ].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('draws the layers that are enforced', () => {
    const [, table = ''] = /^const LAYERS = \{\n([^]*?)\n\};/m.exec(read('.dependency-cruiser.cjs')) ?? [];
    const layers = Object.fromEntries(
      [...table.matchAll(/^ {2}(\w+): \[(.*)\],$/gm)].map(([, name, allowed]) => [
        name,
        [...allowed!.matchAll(/'(\w+)'/g)].map(([, lib]) => lib),
      ]),
    );
    expect(Object.keys(layers).length).toBeGreaterThan(5);
    const section = read('ARCHITECTURE.md').split('| Library | May import |')[1]!.split('\n\n')[0]!;
    const rows = [...section.matchAll(/^\| `libs\/([a-z]+)` \| ([^|]*) \|$/gm)];
    const drawn = Object.fromEntries(
      rows.map(([, name, allowed]) => [name, allowed === 'nothing' ? [] : allowed!.split(', ')]),
    );
    expect(drawn).toEqual(layers);
  });
});
