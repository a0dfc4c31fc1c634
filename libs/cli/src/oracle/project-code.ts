import { readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import type { Repository } from '../git/repository.js';
import type { Worktree } from '../git/worktree.js';
import { Project } from '../init/project.js';
import { projectEnvironment, runProgram } from '../programs/run-program.js';
import type { ProjectConfig } from '../project-config/project-config.js';
import { detectRunner } from './test-runner.js';

/** How the code of a project is prepared and tested. */
export interface ProjectPrograms {
  readonly config: ProjectConfig | undefined;
  /** The program of the test runner with its arguments. */
  readonly testCommand: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For each program. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export async function readTestCommand(
  folder: string,
  config: ProjectConfig | undefined,
): Promise<readonly string[]> {
  return config?.test?.command ?? detectRunner(await Project.open(folder), undefined).command;
}

/** Runs the `prepare` commands of the configuration. @returns why one failed, as a clause */
export async function prepareCode(
  { folder }: Pick<Worktree, 'folder'>,
  { config, env, timeoutMs, signal }: ProjectPrograms,
): Promise<string | undefined> {
  for (const command of config?.prepare ?? []) {
    const { code, isTimedOut, log } = await runProgram(command, {
      cwd: folder,
      timeoutMs,
      signal,
      env: projectEnvironment(env),
    });
    if (code === 0 && !isTimedOut) continue;
    const why = isTimedOut
      ? 'ran into its timeout'
      : `failed with ${code === null ? 'a signal' : `exit code ${code}`}`;
    return `"prepare" ${why}: ${command.join(' ')}\n${log.trimEnd().split('\n').slice(-12).join('\n')}`;
  }
  return undefined;
}

const LOCK_FILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];

/** Whether a commit locks the same packages as the user's checkout, whose packages a worktree uses. */
export async function hasSameLockFile(repository: Repository, commit: string): Promise<boolean> {
  const prefix = repository.prefix.split(sep).join('/');
  const folders = [...new Set([prefix, ''])];
  for (const path of folders.flatMap((folder) => LOCK_FILES.map((name) => posix.join(folder, name)))) {
    const then = await repository.readFile(commit, path);
    if (then !== readText(join(repository.root, path))) return false;
  }
  return true;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
