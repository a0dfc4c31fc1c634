import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Page, TestRunRecord } from '@dacapo/protocol';
import { LABELS } from '../sample-app/src/replays/labels.js';
import { findElements, parseXml } from './cli-replay/parse-xml.js';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { Program, ROOT } from './processes/program.js';
import { runSteps } from './processes/workflow-steps.js';
import { removeFolder } from './support/remove-folder.js';

const APP = join(ROOT, 'sample-app');

/** The workflow of the recipe. */
async function readWorkflow(): Promise<string> {
  const document = await readFile(join(ROOT, 'docs/ci.md'), 'utf8');
  const [, workflow = ''] = /```yaml\n([^]*?)\n```/.exec(document) ?? [];
  return workflow;
}

describe('the recipe of docs/ci.md, in the sample app', () => {
  let folder: string;
  let service: DacapoServe;
  const programs: Program[] = [];
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-ci-'));
    service = await startDacapoServe();
    const [model, { baseUrl }] = await Program.start<{ baseUrl: string }>(
      'sample-app/dist/stand-in-model/main.js',
      ['--json'],
      { PORT: '0' },
    );
    programs.push(model);
    env = {
      ...service.env,
      OPENAI_API_KEY: '',
      OPENAI_BASE_URL: baseUrl,
      OPENAI_MODEL: 'stand-in',
      PULL_REQUEST: '7',
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      PATH: [folder, process.env['PATH']].join(delimiter),
    };
    // Replaces the `gh` of GitHub and notes its arguments.
    await writeFile(join(folder, 'gh'), `#!/bin/sh\necho "$@" >> '${folder}/gh.log'\n`);
    await chmod(join(folder, 'gh'), 0o755);
    const [desk, { url }] = await Program.start<{ url: string }>('sample-app/dist/main.js', ['--json'], {
      ...env,
      PORT: '0',
    });
    programs.push(desk);
    // One session per customer: a score drop needs several sessions.
    for (const [number, message] of Object.keys(LABELS).entries()) {
      const body = JSON.stringify({ customer: `customer ${number}`, message });
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch(`${url}/tickets`, { method: 'POST', body, headers });
      expect(status).toBe(201);
    }
    // Closing sends the waiting records. The replay needs the model again.
    await desk.stop();
  });
  afterAll(async () => {
    for (const program of programs) await program.stop();
    await service.close();
    for (const path of [folder, join(APP, 'replay.xml'), join(APP, 'replay.md'), join(APP, 'replay.html')])
      await removeFolder(path);
  });

  const run = async (edit?: (script: string) => string) =>
    runSteps(await readWorkflow(), { cwd: APP, env, ...(edit && { edit }) });
  const reports = async () => ({
    comment: await readFile(join(APP, 'replay.md'), 'utf8'),
    junit: parseXml(await readFile(join(APP, 'replay.xml'), 'utf8')),
  });

  it('passes a better version', async () => {
    expect(await run()).toEqual({ 'npm run build': 0, Replay: 0, Comment: 0 });
    const { comment, junit } = await reports();
    expect(comment).toMatch(
      /^## Passed \d+ checks: ClassifierV2Service\.classify\n\n12 calls replayed, 6 unchanged, 6 changed/,
    );
    expect(comment).toMatch(/^\| category \| 1 \|.*\+0\.25/m);
    expect(junit.attributes).toMatchObject({ tests: '13', failures: '0', errors: '0' });
    expect(await readFile(join(folder, 'summary.md'), 'utf8')).toBe(comment);
    expect(await readFile(join(folder, 'gh.log'), 'utf8')).toBe(
      'pr comment 7 --body-file replay.md --edit-last --create-if-none\n',
    );
    const { items } = await service.get<Page<TestRunRecord>>('/test-runs?limit=1');
    expect(items).toMatchObject([{ name: 'Pull request 7', status: 'finished' }]);
  });

  it('fails a worse version and reports why', async () => {
    const codes = await run((script) => script.replace('ClassifierV2Service', 'ClassifierService'));
    expect(codes).toEqual({ 'npm run build': 0, Replay: 5, Comment: 0 });
    const { comment, junit } = await reports();
    expect(comment).toMatch(/^## Failed \d of \d+ checks: ClassifierService\.classify\n/);
    expect(comment).toContain('\n- category is 0.75 over 12 items; the gate requires at least 0.9.\n');
    expect(comment).toContain('\n- priority is 0.667 over 12');
    expect(comment).toContain('Items that failed scores.category.min, the worst first:');
    expect(findElements(junit, 'failure')[0]?.attributes['message']).toBe(
      'category is 0.75 over 12 items; the gate requires at least 0.9.',
    );
  });
});
