import type { Project } from '../init/project.js';

export type RunnerName = 'jest' | 'vitest' | 'node';

/** The test runner of a project. */
export interface TestRunner {
  readonly name: RunnerName;
  /** The program with its arguments; the path of a test follows. */
  readonly command: readonly string[];
}

/**
 * Finds the runner of a project: the configured one, else the installed one, else that of Node.
 *
 * @param configured `test.command` of `dacapo.config.json`
 */
export function detectRunner(
  { manifest: { packages, scripts } }: Project,
  configured: readonly string[] | undefined,
): TestRunner {
  const words = configured?.join(' ') ?? scripts['test'] ?? '';
  const named = (['vitest', 'jest'] as const).find((name) => new RegExp(`\\b${name}\\b`).test(words));
  const usesNode = /\bnode\b.*--test\b/.test(words);
  const installed = (['vitest', 'jest'] as const).find((name) => packages.has(name));
  const name = named ?? (usesNode ? 'node' : (installed ?? 'node'));
  return { name, command: configured ?? defaultCommand(name, packages.has('tsx')) };
}

function defaultCommand(name: RunnerName, hasTsx: boolean): readonly string[] {
  switch (name) {
    case 'jest':
      return ['npx', 'jest'];
    case 'vitest':
      return ['npx', 'vitest', 'run'];
    case 'node':
      return ['node', ...(hasTsx ? ['--import', 'tsx'] : []), '--test'];
  }
}
