import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT } from './processes/program.js';
import { runSteps } from './processes/workflow-steps.js';
import { removeFolder } from './support/remove-folder.js';

const TICKETS = [
  { input: 'I was charged twice.', expected: 'billing' },
  { input: 'Please refund my order.', expected: 'billing' },
  { input: 'Where is my parcel?', expected: 'shipping' },
];
const classifier = (categoryOfParcels: string): string => `
export function classify(message: string): string {
  return message.includes('parcel') ? '${categoryOfParcels}' : 'billing';
}
`;

describe('the recipe "CI without a service" of docs/ci.md', () => {
  let project: string;
  let workflow: string;

  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  };
  const dacapo = (command: string, env: Readonly<Record<string, string>>) =>
    promisify(execFile)('npx', command.split(' ').slice(1), {
      cwd: project,
      env: { ...process.env, ...env },
    });
  const runWorkflow = () =>
    runSteps(workflow, {
      cwd: project,
      env: { TRACER_API_KEY: '', GITHUB_STEP_SUMMARY: join(project, 'summary.md') },
    });

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'dacapo-ci-'));
    await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    const guide = await readFile(join(ROOT, 'docs/ci.md'), 'utf8');
    const [, section = ''] = /^## CI without a service$([^]*?)^## /m.exec(guide) ?? [];
    // The blocks are in a list, so they are indented.
    const [exporting = '', evaluation = '', yaml = ''] = [
      ...section.matchAll(/^ {3}```\w+\n([^]*?)^ {3}```/gm),
    ].map(([, block = '']) => block.replace(/^ {3}/gm, ''));
    workflow = yaml;
    await write('evals/tickets.eval.ts', evaluation);
    await write('tickets.jsonl', TICKETS.map((ticket) => JSON.stringify(ticket)).join('\n'));
    const service = await startDacapoServe();
    await dacapo('npx dacapo datasets create tickets', service.env);
    await dacapo('npx dacapo datasets add tickets --file tickets.jsonl', service.env);
    await dacapo(exporting.trim(), service.env);
    await service.close();
  });
  afterAll(() => removeFolder(project));

  it('passes a function that gives what the exported dataset expects', async () => {
    await write('src/classify.ts', classifier('shipping'));
    expect(await runWorkflow()).toEqual({ Evaluate: 0, Summary: 0 });
    expect(await readFile(join(project, 'summary.md'), 'utf8')).toMatch(/^## Passed \d+ checks: tickets/);
  });

  it('fails a function that does not', async () => {
    await write('src/classify.ts', classifier('other'));
    expect(await runWorkflow()).toEqual({ Evaluate: 5, Summary: 0 });
    expect(await readFile(join(project, 'evals.md'), 'utf8')).toContain(
      'exact is 0.667 over 3 items; the gate requires at least 0.9.',
    );
  });
});
