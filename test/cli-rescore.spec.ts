import { Tracer } from '@dacapo/tracer';
import { CommandHost } from '../libs/cli/test/command-host.js';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';

const EVALUATORS = 'test/cli-replay/evaluators.mjs';
const UNKNOWN_RUN = '01890000-0000-7000-8000-000000000000';

describe('dacapo rescore', () => {
  let service: DacapoServe;
  let host: CommandHost;
  let runId: string;

  beforeAll(async () => {
    service = await startDacapoServe();
    host = CommandHost.start();
    const tracer = new Tracer({ apiKey: service.apiKey, serviceUrl: service.url });
    const greet = tracer.withSpan('greet', (name: string) => (name === 'Zoe' ? 'Hi Zoe' : `Hello ${name}`));
    for (const name of ['Ann', 'Bob', 'Zoe']) greet(name);
    ({ testRunId: runId } = await tracer.replay('greet', (name: string) => `Hello ${name}`));
    await tracer.shutdown();
  });
  afterAll(async () => {
    await host.close();
    await service.close();
  });

  const rescore = (...args: string[]): ReturnType<CommandHost['run']> =>
    host.run(['rescore', ...args], service.env);

  it('scores a run with the evaluators of a module, and exits with 0 when its gate passes', async () => {
    const gate = '{"changed":1,"scores":{"politeness":{"min":1}}}';
    const { exit, out } = await rescore(runId, '--evaluators', EVALUATORS, '--gate', gate, '--json');
    expect(exit).toBe(0);
    const run = JSON.parse(out) as { testRunId: string; scores: Record<string, object> };
    expect(run.testRunId).not.toBe(runId);
    expect(run.scores).toMatchObject({ politeness: { mean: 1, n: 3 }, brevity: { n: 2, notApplicable: 1 } });
  });

  it('accepts a single export', async () => {
    const { exit, out } = await rescore(
      runId,
      '--evaluators',
      `${EVALUATORS}#politeness`,
      '--name',
      'second look',
    );
    expect(exit).toBe(0);
    expect(out).toMatch(/^No gate: second look\n\n3 calls replayed, 2 unchanged, 1 changed\.\n/);
    expect(out).not.toContain('brevity');
  });

  it('exits with 5 when the gate fails, and with 2 when the command line is wrong', async () => {
    const failed = await rescore(runId, '--evaluators', EVALUATORS, '--gate', '{"changed":0}');
    expect(failed.exit).toBe(5);
    expect((await rescore(runId)).exit).toBe(2);
    const unknown = await rescore('no-id', '--evaluators', EVALUATORS);
    expect([unknown.exit, unknown.err]).toEqual([
      2,
      expect.stringContaining('No test run has the name "no-id"'),
    ]);
    expect((await rescore(runId, '--evaluators', EVALUATORS, '--gate', '{"erors":0}')).exit).toBe(2);
    const missing = await rescore(runId, '--evaluators', `${EVALUATORS}#none`);
    expect([missing.exit, missing.err]).toEqual([
      expect.any(Number),
      expect.stringContaining('has no export none'),
    ]);
    expect(missing.exit).not.toBe(0);
  });

  it('exits with 1 for a missing run', async () => {
    const { exit, err } = await rescore(UNKNOWN_RUN, '--evaluators', EVALUATORS);
    expect(exit).toBe(1);
    expect(err).toContain('not found');
  });
});
