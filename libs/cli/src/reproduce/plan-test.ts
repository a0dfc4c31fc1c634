import { posix } from 'node:path';
import { glob } from 'tinyglobby';
import type { Project } from '../init/project.js';
import type { ProjectConfig } from '../project-config/project-config.js';
import { DEFAULT_DIRECTORY } from '../cassettes/default-directory.js';
import { findClass, findSource } from './find-source.js';
import type { Subject, TestPlan } from './test-source.js';
import type { TestRunner } from '../oracle/test-runner.js';

const TESTS = ['**/*.{spec,test}.{ts,mts,cts,js,mjs,cjs}'];
const NO_TESTS = ['**/node_modules/**', '**/dist/**'];

export interface TestRequest {
  readonly cassette: string;
  readonly key: string;
  readonly runner: TestRunner;
  readonly config: ProjectConfig | undefined;
  /** Default: where the project has its tests. */
  readonly out: string | undefined;
}

/** Decides where a test is, and what it imports. Reads files and runs nothing. */
export async function planTest(
  project: Project,
  { cassette, key, runner, config, out }: TestRequest,
): Promise<TestPlan> {
  const { name } = runner;
  const tests = await glob(TESTS, { cwd: project.folder, ignore: NO_TESTS, followSymbolicLinks: false });
  const file = out ?? chooseFile(project, cassette, tests, name);
  const subject = await findSubject(project, key, config);
  const isEsModule = /\.m[jt]s$/.test(file) || (project.manifest.isEsModule && !/\.c[jt]s$/.test(file));
  const application = project.isNest ? await findApplication(project) : undefined;
  const directory = config?.test?.cassettes ?? DEFAULT_DIRECTORY;
  return {
    file,
    runner: name,
    cassette,
    key,
    subject,
    application,
    // Vitest can be imported only, also in a project of CommonJS.
    isEsModule: isEsModule || name === 'vitest',
    importEnding: await chooseImportEnding(project, tests, isEsModule, runner),
    directory: directory === DEFAULT_DIRECTORY ? undefined : directory,
  };
}

function chooseFile(
  project: Project,
  cassette: string,
  tests: readonly string[],
  runner: TestRunner['name'],
): string {
  const specs = tests.filter((test) => /\.spec\.\w+$/.test(test)).length;
  const suffix = specs > tests.length / 2 ? 'spec' : 'test';
  const ending = project.isTypeScript
    ? 'ts'
    : project.manifest.isEsModule && runner === 'jest'
      ? 'mjs'
      : 'js';
  const folder = readJestRoot(project) ?? 'test';
  return posix.join(folder, `${posix.basename(cassette)}.${suffix}.${ending}`);
}

/** Jest looks for tests below `rootDir`, as in Nest's own projects. */
function readJestRoot({ manifest: { text } }: Project): string | undefined {
  const { jest } = JSON.parse(text.replace(/^\uFEFF/, '')) as { jest?: { rootDir?: unknown } };
  const root = typeof jest?.rootDir === 'string' ? posix.normalize(jest.rootDir) : '.';
  return root === '.' || root.startsWith('..') || root.includes('<') ? undefined : root;
}

async function findSubject(
  project: Project,
  key: string,
  config: ProjectConfig | undefined,
): Promise<Subject> {
  const source = await findSource(project, key);
  if (source?.kind === 'function') return source;
  if (source?.kind === 'method' && project.isNest) return source;
  const module = config?.replay?.module;
  return module === undefined || project.isNest
    ? { kind: 'unknown' }
    : { kind: 'module', file: posix.normalize(module) };
}

async function findApplication(project: Project): Promise<TestPlan['application']> {
  const file = await findClass(project, 'AppModule');
  return file === undefined ? undefined : { file, name: 'AppModule' };
}

/** As the project's own files import each other. */
async function chooseImportEnding(
  project: Project,
  tests: readonly string[],
  isEsModule: boolean,
  { name }: TestRunner,
): Promise<TestPlan['importEnding']> {
  const sources = [...tests, ...(await project.listSources())].slice(0, 50);
  for (const file of sources) {
    const [, from] = /from\s+['"](\.{1,2}\/[^'"]+)['"]/.exec((await project.read(file)) ?? '') ?? [];
    if (from !== undefined) return from.endsWith('.js') ? '.js' : from.endsWith('.ts') ? '.ts' : '';
  }
  if (name === 'node' && project.isTypeScript && !project.manifest.packages.has('tsx')) return '.ts';
  return isEsModule ? '.js' : '';
}
