import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '../../../test/support/remove-folder.js';

const ROOT = join(__dirname, '../../..');
const PROGRAM = join(ROOT, 'libs/cli/bin/dacapo.cjs');
const PACKAGES = ['client', 'evaluation', 'protocol', 'testing', 'tracer'];

/** A project in a git repository of its own, with our built packages. */
export class ProofProject {
  private constructor(
    readonly folder: string,
    private readonly temporary: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  static async create(
    files: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>>,
  ): Promise<ProofProject> {
    const parent = realpathSync(mkdtempSync(join(tmpdir(), 'proof-')));
    const [folder, temporary] = [join(parent, 'app'), join(parent, 'tmp')];
    mkdirSync(temporary);
    mkdirSync(join(folder, 'node_modules/@dacapo'), { recursive: true });
    for (const name of PACKAGES)
      symlinkSync(join(ROOT, 'libs', name), join(folder, 'node_modules/@dacapo', name));
    const own: Record<string, string> = { ...env, TMPDIR: temporary };
    for (const [name, value] of Object.entries(process.env))
      if (value !== undefined && name !== 'GIT_DIR' && name !== 'CI') own[name] ??= value;
    const project = new ProofProject(folder, temporary, own);
    await project.git('init', '--quiet', '--initial-branch=main');
    await project.git('config', 'user.name', 'Ann');
    await project.git('config', 'user.email', 'ann@example.com');
    await project.commit('Answer questions about orders', { '.gitignore': 'node_modules\n', ...files });
    return project;
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** @returns the id of the commit */
  async commit(message: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
    this.write(files);
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--allow-empty', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('git', args, { cwd: this.folder });
    return stdout.trim();
  }

  node(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    return this.run(process.execPath, args);
  }

  dacapo(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    return this.run(process.execPath, [PROGRAM, ...args]);
  }

  /** Runs the command with other variables, or through another program. */
  async run(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    onStderr: (text: string, stop: (signal: NodeJS.Signals) => void) => void = () => undefined,
  ): Promise<{ code: number | null; out: string; err: string }> {
    const child = spawn(program, args, { cwd: this.folder, env: { ...this.env, ...env } });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      onStderr(err, (signal) => child.kill(signal));
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  /** What commands left behind: temporary folders, worktrees, and changes of the checkout. */
  async leftBehind(): Promise<{ temporary: string[]; worktrees: number; status: string; branch: string }> {
    return {
      temporary: readdirSync(this.temporary).filter((name) => name.startsWith('dacapo-')),
      worktrees: (await this.git('worktree', 'list')).split('\n').length,
      status: await this.git('status', '--porcelain'),
      branch: await this.git('branch', '--show-current'),
    };
  }

  remove(): Promise<void> {
    return removeFolder(dirname(this.folder));
  }
}
