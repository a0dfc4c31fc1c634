import type { Command } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { requireConfirmation } from '../output/require-confirmation.js';
import { counted } from '../output/table.js';
import { type FileChange, formatChanges, writeChanges } from './file-change.js';
import { planUndo, recordChanges } from './init-record.js';
import { listMethods } from './list-methods.js';
import { type InitPlan, planInit } from './plan-init.js';
import { Project } from './project.js';

interface InitWords {
  readonly method?: string;
  readonly sourceRoot?: string;
  readonly undo?: true;
  readonly yes?: true;
  readonly json?: true;
}

const SHOWN_METHODS = 9;
/** The workflow cannot run without these settings of the repository. */
const CI_STEP =
  'On GitHub, set the variable TRACER_SERVICE_URL and the secret TRACER_API_KEY (npx dacapo keys create --name ci --scope replay).';

/** `dacapo init`: connects the application in the working directory. */
export function addInitCommand(program: Command, io: CliIo): void {
  program
    .command('init')
    .description('connect an application: show each change and ask before writing')
    .argument('[folder]', 'the folder with package.json', '.')
    .option('--method <Service.method>', 'the method of a Nest provider to record, replay and gate')
    .option('--source-root <folder>', 'the source folder (default: that of nest-cli.json, or src)')
    .option('--undo', 'undo what `dacapo init` did in the folder')
    .option('--yes', 'write without asking')
    .option('--json', 'print JSON for machines')
    .action((folder: string, words: InitWords) =>
      words.undo ? undo(folder, words, io) : init(folder, words, io),
    );
}

async function init(folder: string, words: InitWords, io: CliIo): Promise<void> {
  const project = await Project.open(folder, words.sourceRoot);
  const method = words.method ?? (words.yes ? undefined : await askMethod(project, io));
  const plan = await planInit(project, method);
  if (plan.changes.length > 0) {
    await confirmChanges(plan.changes, words, io);
    await writeChanges(folder, [...plan.changes, await recordChanges(folder, plan.changes)]);
  }
  const next = nextSteps(project, plan, method);
  print(
    io,
    words,
    { ...describeResult(plan.changes), next },
    [
      ...summarize(plan.changes, describeUnchanged(plan)),
      ...next.map((step, index) => `  ${index + 1}. ${step}`),
    ].join('\n'),
  );
}

async function undo(folder: string, words: InitWords, io: CliIo): Promise<void> {
  const { changes, record, kept } = await planUndo(folder);
  await confirmChanges(changes, words, io);
  await writeChanges(folder, [...changes, record]);
  const next =
    kept.length === 0
      ? []
      : [
          `.env was edited since, so ${kept.join(' and ')} stayed. Remove TRACER_API_KEY and TRACER_SERVICE_URL from .env by hand.`,
        ];
  print(
    io,
    words,
    { ...describeResult(changes), next },
    [...summarize(changes, 'Nothing was changed.'), ...next].join('\n'),
  );
}

function describeUnchanged({ gaps }: InitPlan): string {
  return gaps.length === 0
    ? 'Nothing to change: this application is connected.'
    : 'Nothing was changed. These steps remain:';
}

async function confirmChanges(changes: readonly FileChange[], words: InitWords, io: CliIo): Promise<void> {
  if (!words.json || (!words.yes && io.stderr.isTTY === true)) io.stderr.write(`${formatChanges(changes)}\n`);
  await requireConfirmation(io, words, `This changes ${counted(changes.length, 'file')}.`);
}

/** Returns `undefined` without a terminal, and if the user picks none. */
async function askMethod(project: Project, io: CliIo): Promise<string | undefined> {
  if (!project.isNest) return undefined;
  const methods = await listMethods(project);
  if (methods.length === 0 || methods.some(({ isTraced }) => isTraced)) return undefined;
  const choices = methods
    .slice(0, SHOWN_METHODS)
    .map(({ name, path }, index) => `  ${index + 1}  ${name} (${path})\n`);
  const answer = await io.ask(
    `Which method calls a model? @Traced() records it.\n${choices.join('')}Type a number or Service.method, or press Enter for none: `,
  );
  const word = answer?.trim() ?? '';
  return methods[Number(word) - 1]?.name ?? (word === '' ? undefined : word);
}

function describeResult(changes: readonly FileChange[]): object {
  return {
    changes: changes.map(({ path, before, after }) => ({
      path,
      change: before === undefined ? 'created' : after === undefined ? 'deleted' : 'edited',
    })),
  };
}

function summarize(changes: readonly FileChange[], nothing: string): string[] {
  if (changes.length === 0) return [nothing];
  return changes.map(({ path, before, after }) =>
    before === undefined ? `created ${path}` : after === undefined ? `deleted ${path}` : `edited  ${path}`,
  );
}

function nextSteps(
  project: Project,
  { changes, gaps, notes }: InitPlan,
  method: string | undefined,
): string[] {
  const { packageManager } = project;
  return [
    ...(changes.some(({ path }) => path === 'package.json') ? [`Run ${packageManager} install.`] : []),
    'Run npx dacapo serve, and put the key that it prints into .env.',
    ...gaps,
    ...notes,
    ...(changes.some(({ path }) => path.startsWith('.github/')) ? [CI_STEP] : []),
    ...(project.isNest && method === undefined
      ? ['Run npx dacapo init --method Service.method: it adds @Traced(), a gate and a workflow.']
      : []),
  ];
}
