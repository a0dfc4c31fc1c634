import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { linkModules } from './link-modules.js';
import type { ChangedFile, Repository } from './repository.js';

/** A commit of a repository in a temporary folder. The user's checkout, index and branches stay as they are. */
export class Worktree {
  private constructor(
    private readonly repository: Repository,
    /** The root of the checkout. */
    readonly root: string,
  ) {}

  /** Makes a worktree, and removes it after `use`, also when `use` throws. */
  static async with<T>(
    repository: Repository,
    commit: string,
    use: (tree: Worktree) => Promise<T>,
  ): Promise<T> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'dacapo-worktree-')));
    const tree = new Worktree(repository, root);
    try {
      await repository.git('worktree', 'add', '--quiet', '--detach', root, commit);
      linkModules(repository.root, root, await repository.filesNamed(commit, 'package.json'));
      return await use(tree);
    } finally {
      await tree.remove();
    }
  }

  /** The project's folder. */
  get folder(): string {
    return join(this.root, this.repository.prefix);
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** Copies files and folders of the user's checkout. @param paths relative to the project's folder */
  copyFromCheckout(paths: readonly string[]): void {
    for (const path of paths)
      copy(join(this.repository.root, this.repository.prefix, path), join(this.folder, path));
  }

  /** Brings it to the state of the user's checkout. */
  applyChanges(changes: readonly ChangedFile[]): void {
    for (const { path, isDeleted } of changes)
      if (isDeleted) rmSync(join(this.root, path), { force: true });
      else copy(join(this.repository.root, path), join(this.root, path));
  }

  /** Checks out another commit. Only installed packages stay of the one before. */
  async moveTo(commit: string): Promise<void> {
    await this.repository.git('-C', this.root, 'checkout', '--quiet', '--detach', '--force', commit);
    await this.repository.git('-C', this.root, 'clean', '--quiet', '-ffdx', '--exclude=node_modules');
    linkModules(this.repository.root, this.root, await this.repository.filesNamed(commit, 'package.json'));
  }

  private async remove(): Promise<void> {
    await this.repository.git('worktree', 'remove', '--force', this.root).catch(() => undefined);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10 });
    await this.repository.git('worktree', 'prune').catch(() => undefined);
  }
}

function copy(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, force: true });
}
