import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface NestAddOptions {
  /** Folder of the sources, as the Nest CLI passes it. */
  readonly sourceRoot?: string;
}

interface Context {
  readonly logger: { warn(message: string): void };
}

/** Runs for `nest add @dacapo/nestjs`: starts `dacapo init` of the application's `@dacapo/cli`, else of the newest one. */
export function nestAdd({ sourceRoot }: NestAddOptions = {}): <T>(tree: T, context: Context) => T {
  return (tree, { logger }) => {
    const args = ['init', ...(sourceRoot === undefined ? [] : ['--source-root', sourceRoot])];
    // Without a terminal the command cannot ask. `nest add` itself is the confirmation.
    if (!process.stdin.isTTY || !process.stderr.isTTY) args.push('--yes');
    const command = findCommand(process.cwd());
    const { status } =
      command === undefined
        ? spawnSync('npx', ['--yes', '@dacapo/cli', ...args], { stdio: 'inherit', shell: isWindows })
        : spawnSync(process.execPath, [command, ...args], { stdio: 'inherit' });
    if (status !== 0) logger.warn('The application was not changed. Run npx @dacapo/cli init to try again.');
    return tree;
  };
}

/** On Windows, npx is a script of the shell. */
const isWindows = process.platform === 'win32';

function findCommand(folder: string): string | undefined {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('@dacapo/cli/package.json');
    return join(dirname(manifest), 'bin/dacapo.cjs');
  } catch {
    return undefined;
  }
}
