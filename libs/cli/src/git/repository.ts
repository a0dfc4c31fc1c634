import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectEnvironment, runProgram } from '../programs/run-program.js';
import { GitError } from './errors.js';

const TIMEOUT_MS = 120_000;

/** A file that differs from the last commit. Paths are relative to the root, with `/`. */
export interface ChangedFile {
  readonly path: string;
  readonly isDeleted: boolean;
}

/** The git repository that a project's folder is in. */
export class Repository {
  private constructor(
    /** Absolute, without symbolic links. */
    readonly root: string,
    /** The project's folder, relative to the root; empty for the root. */
    readonly prefix: string,
    private readonly env: Readonly<Record<string, string | undefined>>,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** @throws GitError outside of a repository, and without git */
  static async open(
    folder: string,
    env: Readonly<Record<string, string | undefined>>,
    signal?: AbortSignal,
  ): Promise<Repository> {
    const at = new Repository(folder, '', env, signal);
    const found = await at.tryGit('rev-parse', '--show-toplevel');
    if (found === undefined)
      throw new GitError(
        `${folder} is in no git repository`,
        'Run the command in a checkout, with git installed.',
      );
    const root = realpathSync(found.trim());
    return new Repository(root, relative(root, realpathSync(folder)), env, signal);
  }

  /** @throws GitError when the revision names no commit here */
  async resolveCommit(revision: string): Promise<string> {
    const id = await this.tryGit(
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${revision}^{commit}`,
    );
    if (id !== undefined) return id.trim();
    throw new GitError(
      `${JSON.stringify(revision)} is not a commit of this repository`,
      'Fetch it (in GitHub Actions: actions/checkout with fetch-depth: 0), or name another one.',
    );
  }

  /** The commit that both come from. @throws GitError when they share none */
  async mergeBase(a: string, b: string): Promise<string> {
    const id = await this.tryGit('merge-base', a, b);
    if (id !== undefined) return id.trim();
    throw new GitError(`${a} and ${b} share no commit`, 'Name a base that this branch comes from.');
  }

  isAncestor(older: string, newer: string): Promise<boolean> {
    return this.tryGit('merge-base', '--is-ancestor', older, newer).then((out) => out !== undefined);
  }

  /** Files that differ from the last commit, with new files that git does not ignore. */
  async changedFiles(): Promise<ChangedFile[]> {
    const out = await this.git('status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames');
    return splitZero(out).map((line) => ({
      path: line.slice(3),
      isDeleted: line[1] === 'D' || (line[0] === 'D' && line[1] === ' '),
    }));
  }

  /** Files below a folder that were added or changed since a commit, or are new. */
  async filesSince(commit: string, folder: string): Promise<string[]> {
    const place = join(this.prefix, folder);
    const changed = await this.git(
      'diff',
      '--name-only',
      '-z',
      '--diff-filter=d',
      '--no-renames',
      commit,
      '--',
      place,
    );
    const added = await this.git('ls-files', '-z', '--others', '--exclude-standard', '--', place);
    return [...new Set([...splitZero(changed), ...splitZero(added)])].sort();
  }

  /** Files of a commit whose path ends with a name. */
  async filesNamed(commit: string, name: string): Promise<string[]> {
    const out = await this.git('ls-tree', '-r', '-z', '--name-only', '--full-tree', commit);
    return splitZero(out).filter((path) => path === name || path.endsWith(`/${name}`));
  }

  /** The text of a file of a commit; `undefined` if it has none. */
  readFile(commit: string, path: string): Promise<string | undefined> {
    return this.tryGit('cat-file', 'blob', `${commit}:${path}`);
  }

  /** Commits after `good` that lead to `bad`, oldest first, each after its parents. */
  async commitsBetween(good: string, bad: string): Promise<{ id: string; parents: string[] }[]> {
    const out = await this.git('rev-list', '--topo-order', '--reverse', '--parents', bad, `^${good}`);
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [id = '', ...parents] = line.split(' ');
        return { id, parents };
      });
  }

  /** `5e6f7a8b Show late parcels` */
  async describeCommit(id: string): Promise<{ author: string; date: string; subject: string }> {
    const out = await this.git('show', '--no-patch', '--format=%an%x00%as%x00%s', id);
    const [author = '', date = '', subject = ''] = out.trimEnd().split('\0');
    return { author, date, subject };
  }

  /** @throws GitError when git fails */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, log } = await this.run(args);
    if (code === 0) return stdout;
    throw new GitError(
      `git ${args[0] ?? ''} failed: ${log.trim()}`,
      'Solve this in the repository, then try again.',
    );
  }

  private async tryGit(...args: string[]): Promise<string | undefined> {
    const { code, stdout } = await this.run(args);
    return code === 0 ? stdout : undefined;
  }

  /** Without hooks: a checkout for a replay must not run programs of the repository. */
  private run(args: readonly string[]): ReturnType<typeof runProgram> {
    const env = {
      ...projectEnvironment(this.env),
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
    };
    return runProgram(['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false', ...args], {
      cwd: this.root,
      env,
      timeoutMs: TIMEOUT_MS,
      signal: args[0] === 'worktree' && args[1] === 'remove' ? undefined : this.signal,
    });
  }
}

function splitZero(text: string): string[] {
  return text.split('\0').filter((path) => path !== '');
}
