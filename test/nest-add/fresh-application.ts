import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../processes/program.js';
import { removeFolder } from '../support/remove-folder.js';

const NEST = join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js');
const LINKED = ['@nestjs', '@types', 'reflect-metadata', 'rxjs', 'typescript', 'valibot'];
const run = promisify(execFile);

/** An application like that of `nest new`, with the packed libraries in node_modules. */
export class FreshApplication {
  private constructor(
    private readonly parent: string,
    readonly folder: string,
  ) {}

  static async make(): Promise<FreshApplication> {
    const parent = await mkdtemp(join(tmpdir(), 'dacapo-nest-add-'));
    const options = ['--skip-install', '--skip-git', '--package-manager', 'npm', '--language', 'TypeScript'];
    await run(process.execPath, [NEST, 'new', 'fresh', ...options], { cwd: parent });
    const application = new FreshApplication(parent, join(parent, 'fresh'));
    await application.installPackages();
    await application.linkRest();
    return application;
  }

  /** Writes the files that a document shows to their paths. */
  async writeFiles(document: string): Promise<void> {
    const text = await readFile(join(ROOT, document), 'utf8');
    for (const [, path = '', code = ''] of text.matchAll(/^<!-- file: (\S+) -->\n```ts\n([^]*?)^```$/gm))
      await writeFile(join(this.folder, path), code);
  }

  /** Runs a compiled file to its end and returns its output. */
  async node(path: string, env: Readonly<Record<string, string>>): Promise<string> {
    const options = { cwd: this.folder, env: { ...process.env, ...env } };
    return (await run(process.execPath, [path], options)).stdout;
  }

  /** Runs a command of the Nest CLI. */
  async nest(...args: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [NEST, ...args], { cwd: this.folder });
    return stdout;
  }

  read(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8');
  }

  remove(): Promise<void> {
    return removeFolder(this.parent);
  }

  private async installPackages(): Promise<void> {
    const pack = [join(ROOT, 'scripts/pack.mjs'), this.parent, 'nestjs'];
    const packed: unknown = JSON.parse((await run(process.execPath, pack)).stdout);
    for (const [name, tarball] of Object.entries(packed as Readonly<Record<string, string>>)) {
      const target = join(this.folder, 'node_modules', name);
      await mkdir(target, { recursive: true });
      await run('tar', ['-xzf', tarball.replace(/^file:/, ''), '-C', target, '--strip-components=1']);
    }
  }

  /** Uses the workspace's other packages and its command. The build does not need a test runner. */
  private async linkRest(): Promise<void> {
    for (const name of LINKED) {
      await symlink(join(ROOT, 'node_modules', name), join(this.folder, 'node_modules', name), 'junction');
    }
    await symlink(join(ROOT, 'libs/cli'), join(this.folder, 'node_modules/@dacapo/cli'), 'junction');
    const tsconfig = await this.read('tsconfig.json');
    await writeFile(join(this.folder, 'tsconfig.json'), tsconfig.replace('"vitest/globals", ', ''));
  }
}
