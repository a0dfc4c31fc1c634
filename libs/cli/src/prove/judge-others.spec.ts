import type { ReplayedCall } from '../oracle/run-replays.js';
import { judgeOthers } from './judge-others.js';
import { summarizeOthers } from './proof.js';

const call = (facts: Partial<ReplayedCall>): ReplayedCall => ({
  cassette: 'a.ndjson',
  index: 0,
  key: 'k',
  ran_live: {},
  answered_by_test: {},
  divergences: [],
  verdict: 'same',
  fails_as_recorded: false,
  goes_on: false,
  ...facts,
});
const same = call({});
const changed = call({ verdict: 'changed' });
const unended = call({ error: { name: 'Error', message: 'no such call' } });
Reflect.deleteProperty(unended, 'verdict');

describe('judgeOthers', () => {
  it.each<[string, ReplayedCall[], ReplayedCall[], string]>([
    ['as recorded on both', [same], [same], 'unharmed'],
    ['as recorded, although the base did not run', [], [same], 'unharmed'],
    ['changed by the candidate', [same], [changed], 'harmed'],
    ['failing on the candidate', [same], [call({ verdict: 'error' })], 'harmed'],
    [
      'without a call inside that the base makes',
      [same],
      [call({ divergences: [{ kind: 'missing', path: ['mail'] }] })],
      'harmed',
    ],
    [
      'calling with other arguments',
      [same],
      [{ ...unended, divergences: [{ kind: 'changed_arguments', path: ['mail'] }] }],
      'harmed',
    ],
    ['changed on both', [changed], [changed], 'unknown'],
    ['changed, and the base did not run', [], [changed], 'unknown'],
    ['masked', [same], [call({ verdict: 'unknown' })], 'unknown'],
    ['asking for what was not recorded', [same], [unended], 'unknown'],
    ['not replayed', [same], [], 'unknown'],
  ])('judges a call that is %s', (_name, base, candidate, state) => {
    expect(judgeOthers(1, base, candidate)).toEqual([state]);
  });
});

it('counts unknown calls into the interval', () => {
  const file = { file: 'a', sha256: 'b' };
  const twenty = Array.from({ length: 20 }, () => 'unharmed' as const);
  expect(summarizeOthers(twenty, file).interval.high).toBeCloseTo(0.161, 3);
  const { counts, unknown, interval } = summarizeOthers(['unknown', ...twenty.slice(1)], file);
  expect([counts, unknown]).toEqual([{ unharmed: 19, harmed: 0, unknown: 1 }, [0]]);
  expect(interval.high).toBeCloseTo(0.236, 3);
});
