import { posix } from 'node:path';
import { VERSION } from '../version.js';
import { editText } from './edit-text.js';
import { addDependency } from './edits/manifest.js';
import { addEnvLoading, addShutdownHooks, findRootModule } from './edits/main-file.js';
import { addTracerModule } from './edits/root-module.js';
import { addIgnored, addVariables, NEW_GATE, newTracerFile, newWorkflow } from './edits/settings.js';
import { addTraced, findProviderMethods } from './edits/traced-method.js';
import { UnknownMethodError } from './errors.js';
import { listMethods } from './list-methods.js';
import type { FileChange } from './file-change.js';
import type { Project } from './project.js';

/** What `init` would change, and what is left to do by hand. */
export interface InitPlan {
  readonly changes: readonly FileChange[];
  /** What `init` usually does, where it did not understand a file. The application is not connected without them. */
  readonly gaps: readonly string[];
  readonly notes: readonly string[];
}

/** Collects changes; several edits of one file become one change. */
class Plan {
  readonly gaps: string[] = [];
  readonly notes: string[] = [];
  private readonly files = new Map<string, FileChange>();

  constructor(readonly project: Project) {}

  get changes(): FileChange[] {
    return [...this.files.values()].filter(({ before, after }) => before !== after);
  }

  /** @param edit returns `undefined` if it does not understand the text @returns whether it did */
  async edit(path: string, edit: (text: string) => string | undefined): Promise<boolean> {
    const before = this.files.get(path)?.before ?? (await this.project.read(path));
    const text = this.files.get(path)?.after ?? before;
    const after = text === undefined ? undefined : editText(text, edit);
    if (after !== undefined) this.files.set(path, { path, before, after });
    return after !== undefined;
  }

  /** Like `edit`, of a file that may not exist. */
  async editOrCreate(path: string, edit: (text: string) => string): Promise<void> {
    if (!(await this.edit(path, edit))) this.files.set(path, { path, before: undefined, after: edit('') });
  }

  /** Keeps an existing file, whatever is in it. */
  create(path: string, text: string): void {
    if (!this.project.has(path)) this.files.set(path, { path, before: undefined, after: text });
  }
}

/**
 * Plans what connects an application with Dacapo. A second plan, after the first is applied, is empty.
 *
 * @param method such as `ClassifierService.classify`, to decorate, replay and gate
 * @throws UnknownMethodError
 */
export async function planInit(project: Project, method: string | undefined): Promise<InitPlan> {
  const plan = new Plan(project);
  await addPackages(plan);
  await plan.editOrCreate('.env', addVariables);
  await plan.editOrCreate('.gitignore', (text) => addIgnored(text, ['.env', '.dacapo/']));
  if (project.isNest) await planNest(plan, method);
  else planNode(plan);
  return { changes: plan.changes, gaps: plan.gaps, notes: plan.notes };
}

async function addPackages(plan: Plan): Promise<void> {
  const { packages } = plan.project.manifest;
  const add = async (field: 'dependencies' | 'devDependencies', name: string): Promise<void> => {
    if (packages.has(name)) return;
    if (!(await plan.edit('package.json', (text) => addDependency(text, field, name, `^${VERSION}`))))
      plan.gaps.push(`Add "${name}": "^${VERSION}" to ${field}: package.json was not understood.`);
  };
  await add('dependencies', plan.project.isNest ? '@dacapo/nestjs' : '@dacapo/tracer');
  await add('devDependencies', '@dacapo/cli');
}

async function planNest(plan: Plan, method: string | undefined): Promise<void> {
  const { project, gaps } = plan;
  const main = `${project.sourceRoot}/main.ts`;
  const root = findRootModule((await project.read(main)) ?? '');
  const modulePath = posix.join(
    project.sourceRoot,
    `${root?.from?.replace(/\.[jt]s$/, '') ?? './app.module'}.ts`,
  );
  if (!(await plan.edit(modulePath, (text) => addTracerModule(text, root?.name))))
    gaps.push(
      `Add TracerModule.forRoot() from '@dacapo/nestjs' to the imports of your root module: ${modulePath} was not understood.`,
    );
  if (!(await plan.edit(main, addShutdownHooks)))
    gaps.push(`Call app.enableShutdownHooks() where the application is created: ${main} was not understood.`);
  if (!readsEnvFiles(project) && !(await plan.edit(main, addEnvLoading)))
    gaps.push(`Load .env where the application starts: ${main} does not exist.`);
  if (method !== undefined) await planMethod(plan, method, modulePath);
}

async function planMethod(plan: Plan, method: string, modulePath: string): Promise<void> {
  const { project } = plan;
  const methods = await listMethods(project);
  const found = methods.find(({ name }) => name === method);
  if (found === undefined)
    throw new UnknownMethodError(
      method,
      methods.map(({ name }) => name),
    );
  await plan.edit(found.path, (text) => {
    const now = findProviderMethods(text).find(({ name }) => name === method);
    return now === undefined || now.isTraced ? text : addTraced(text, now);
  });
  const entry = `${compiledFolder(project)}${posix.relative(project.sourceRoot, modulePath).replace(/\.ts$/, '.js')}`;
  plan.create('gate.json', NEW_GATE);
  plan.create(
    '.github/workflows/dacapo.yml',
    newWorkflow({ packageManager: project.packageManager, entry, method }),
  );
}

function planNode(plan: Plan): void {
  const { project, notes } = plan;
  const isRequired = !project.isTypeScript && !project.manifest.isEsModule;
  const folder = project.sourceRoot === '.' ? '' : `${project.sourceRoot}/`;
  const path = `${folder}tracer.${project.isTypeScript ? 'ts' : 'js'}`;
  plan.create(path, newTracerFile(isRequired));
  notes.push(`Wrap a function with the tracer of ${path}: tracer.withSpan('classify', classify).`);
}

/** Searches package.json for packages and flags that read `.env`. */
function readsEnvFiles({ manifest }: Project): boolean {
  return (
    manifest.packages.has('@nestjs/config') ||
    manifest.packages.has('dotenv') ||
    Object.values(manifest.scripts).some((script) => script.includes('--env-file'))
  );
}

/** The folder with the compiled `main`, by the script that starts it in production. */
function compiledFolder({ manifest }: Project): string {
  const { 'start:prod': production = '', start = '' } = manifest.scripts;
  return /\bnode\s(?:.*\s)?(?:\.\/)?(\S*\/)main\b/.exec(`${production}\n${start}`)?.[1] ?? 'dist/';
}
