import type { ReportedOutcome } from '@dacapo/testing/internal';
import type { ProgramEnd } from '../programs/run-program.js';
import { judgeReplay, judgeTest } from './answer.js';
import type { ReplayedCall } from './run-replays.js';

const FAILED: ProgramEnd = { code: 1, isTimedOut: false, stdout: '', log: 'SyntaxError: Unexpected token' };
const PASSED: ProgramEnd = { ...FAILED, code: 0, log: '' };

const outcome = (facts: Partial<ReportedOutcome>): ReportedOutcome => ({
  cassette: 'a.ndjson',
  sha256: 'a',
  expect: 'fixed',
  outcome: 'passed',
  calls: [],
  ...facts,
});
const red = outcome({ outcome: 'recorded_failure' });
const green = outcome({});
const other = outcome({ outcome: 'failed', error: { name: 'TypeError', message: 'no database' } });

describe('judgeTest', () => {
  it('is red when the recorded failure occurs and the runner fails', () => {
    expect(judgeTest(FAILED, [red], 'a').state).toBe('red');
  });

  it('is green when the test and its runner pass', () => {
    expect(judgeTest(PASSED, [green], 'a').state).toBe('green');
  });

  it.each<[string, ProgramEnd, ReportedOutcome[], string]>([
    ['a runner that crashes before the test', FAILED, [], 'SyntaxError'],
    ['a runner that finds no test', PASSED, [], 'no test ran'],
    ['a runner that does not start', { ...FAILED, code: null }, [], 'did not start'],
    ['a runner that a signal ends after the test', { ...FAILED, code: null }, [red], 'a signal'],
    ['a timeout after the test', { ...FAILED, isTimedOut: true }, [red], 'timeout'],
    ['another error', FAILED, [other], 'TypeError: no database'],
    ['a test of another cassette', FAILED, [{ ...red, sha256: 'b' }], 'no test ran'],
    ["a test without expect: 'fixed'", FAILED, [{ ...red, expect: undefined } as never], "expect: 'fixed'"],
    ['a runner that ignores the failure', PASSED, [red], 'exit code 0'],
    ['a test that fails once and passes once', FAILED, [red, green], 'flaky'],
    ['another test that fails in the same file', FAILED, [green], 'runner failed'],
  ])('shows nothing by %s', (_, ended, outcomes, reason) => {
    const answer = judgeTest(ended, outcomes, 'a');
    expect([answer.state, answer.reason]).toEqual(['not shown', expect.stringContaining(reason)]);
  });
});

describe('judgeReplay', () => {
  const call = (facts: Partial<ReplayedCall>): ReplayedCall => ({
    cassette: 'a.ndjson',
    index: 0,
    key: 'k',
    ran_live: {},
    answered_by_test: {},
    divergences: [],
    fails_as_recorded: false,
    goes_on: false,
    ...facts,
  });
  const error = { name: 'TypeError', message: 'broken' };

  it.each<[string, ReplayedCall[], string | undefined, string]>([
    [
      'red: it fails as recorded',
      [call({ verdict: 'same', fails_as_recorded: true, error })],
      undefined,
      'red',
    ],
    ['green: it returns', [call({ verdict: 'changed' })], undefined, 'green'],
    ['green: it goes on where the recording ends', [call({ goes_on: true, error })], undefined, 'green'],
    ['not shown: it fails otherwise', [call({ verdict: 'error', error })], undefined, 'not shown'],
    ['not shown: it does not end', [call({})], undefined, 'not shown'],
    ['not shown: the process ended', [call({ verdict: 'same' })], 'the application ended it', 'not shown'],
    ['not shown: there is no call', [], undefined, 'not shown'],
  ])('%s', (_, calls, problem, state) => {
    expect(judgeReplay({ calls, problem }).state).toBe(state);
  });
});
