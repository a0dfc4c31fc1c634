import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** What installers and tools write into. */
const NOT_LINKED = /^\.(?!bin$|pnpm$|prisma$)/;

/**
 * Gives a worktree the installed packages of the checkout. Each package is a link of its own, so an installer that runs later removes
 * links, never the packages behind them. A workspace package leads to the worktree's own code.
 *
 * @param manifests each package.json of the worktree, relative to its root
 */
export function linkModules(checkout: string, worktree: string, manifests: readonly string[]): void {
  for (const manifest of manifests) {
    const folder = join(dirname(manifest), 'node_modules');
    const [from, to] = [join(checkout, folder), join(worktree, folder)];
    if (existsSync(from) && !existsSync(to)) linkEntries(from, to, { checkout, worktree });
  }
}

function linkEntries(
  from: string,
  to: string,
  roots: { readonly checkout: string; readonly worktree: string },
): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (NOT_LINKED.test(name)) continue;
    const source = join(from, name);
    if (name.startsWith('@') && !lstatSync(source).isSymbolicLink())
      linkEntries(source, join(to, name), roots);
    else if (existsSync(source)) symlinkSync(findTarget(source, roots), join(to, name), 'junction');
  }
}

/** Follows a link into the repository itself, such as that of a workspace package. */
function findTarget(
  source: string,
  { checkout, worktree }: { readonly checkout: string; readonly worktree: string },
): string {
  const path = relative(checkout, realpathSync(source));
  const isWorkspace = !path.startsWith('..') && !path.split(sep).includes('node_modules');
  return isWorkspace ? join(worktree, path) : source;
}
