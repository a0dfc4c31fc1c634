import { API, routePath } from '@dacapo/protocol/api';
import { type Account, openAccount } from './running-service.js';

const CHECKS = ['minItems', 'complete', 'newErrors', 'changed'];

describe('dacapo runs gate', () => {
  let service: Account;
  beforeEach(async () => {
    service = await openAccount();
  });

  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'api-key': service.apiKey },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string };
  };
  const startRun = async (): Promise<string> => {
    const { id } = await post(API.testRuns.create.path, { trace_function_key: 'k', name: 'nightly' });
    await post(routePath(API.testRuns.report, { id }), {
      items: [{ item_no: 0, verdict: 'same', result: 1 }],
    });
    return id;
  };
  const finish = (id: string, failed: readonly string[], gate: object = { changed: 0 }) =>
    post(routePath(API.testRuns.finish, { id }), {
      summary: {
        passed: failed.length === 0,
        gate,
        checks: CHECKS.map((name) => ({
          name,
          limit: '',
          measured: '',
          passed: !failed.includes(name),
          failures: failed.includes(name) ? [`${name} failed.`] : [],
        })),
      },
    });
  const decide = (id: string, after: number, judgement: string) =>
    post(routePath(API.decisions.decide, { id }), {
      after,
      judgements: [{ item_no: 0, judgement }],
      author: { kind: 'person', name: 'ann' },
    });

  it('exits by the latest decision on the run', async () => {
    const id = await startRun();
    expect(await service.run('runs', 'gate', id)).toMatchObject({ exitCode: 1, out: `${id}: not yet\n` });
    await finish(id, []);
    expect(await service.run('runs', 'gate', 'nightly')).toMatchObject({
      exitCode: 0,
      out: `${id}: Passed 4 checks, decided by the client\n`,
    });
    await decide(id, 0, 'worse');
    const failed = await service.run('runs', 'gate', id);
    expect(failed.exitCode).toBe(5);
    expect(failed.out).toMatch(
      /^\S+: Failed 1 of 4 checks, decided by ann at \S+Z\n {2}1 of 1 item changed; the gate allows none\.\n$/,
    );
    await decide(id, 1, 'none');
    expect(await service.run('runs', 'gate', id, '--json')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('"result":"passed"'),
    });
  });

  it('reports the failures of the client, and that a run has no decision', async () => {
    const failed = await startRun();
    await finish(failed, ['changed']);
    expect(await service.run('runs', 'gate', failed)).toMatchObject({
      exitCode: 5,
      out: `${failed}: Failed 1 of 4 checks, decided by the client\n  changed failed.\n`,
    });
    const without = await startRun();
    await post(routePath(API.testRuns.finish, { id: without }), {});
    const { exitCode, err } = await service.run('runs', 'gate', without);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('The run has no decision: no gate.')]);
  });
});
