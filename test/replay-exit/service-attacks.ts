import type { Attack, Attempt } from './replay-process.js';
import type { Answer, Interference } from './service-proxy.js';

type Finish = (forward: () => Promise<Answer>, path: string) => ReturnType<Interference>;

/** Response of the service to finishing a run. */
const finish = (answer: Finish, args: readonly string[] = []): Attempt => ({
  args,
  interfere: ({ path, forward }) => (path.endsWith('/finish') ? answer(forward, path) : undefined),
});
const finishWith = (status: number, body: string, args?: readonly string[]): Attempt =>
  finish(() => ({ status, body }), args);
/** `undefined` members are omitted. */
const finishChanged = (change: object, args?: readonly string[]): Attempt =>
  finish(async (forward) => {
    const { status, body } = await forward();
    return { status, body: JSON.stringify({ ...(JSON.parse(body) as object), ...change }) };
  }, args);
const onItems = (answer: ReturnType<Interference>, args: readonly string[] = []): Attempt => ({
  args,
  interfere: ({ path }) => (path.endsWith('/items') ? answer : undefined),
});
const GATELESS = ['--gate', '{}'];
/** For attacks that end at once: a busy machine may take longer than their usual timeout. */
const PATIENT = ['--timeout', '60000'];
const runIdIn = (path: string): string => path.split('/').at(-2) ?? '';

/** Ways in which the service, or something in its place, can affect the decision. */
export const SERVICE_ATTACKS: readonly Attack[] = [
  ['answers 500 to the end', 1, finishWith(500, '{"detail":"no"}')],
  ['answers 500 to the end, with a gate of no limits', 1, finishWith(500, '{}', GATELESS)],
  ['answers a page to the end', 1, finishWith(200, '<html>Sign in</html>')],
  ['answers nothing to the end', 1, finishWith(204, '')],
  ['answers an empty object to the end', 1, finishWith(200, '{}')],
  ['answers with no more than an id to the end', 1, finishWith(200, '{"id":"x"}')],
  [
    'answers with no more than the id of the run to the end',
    1,
    finish((_, path) => ({ status: 200, body: JSON.stringify({ id: runIdIn(path) }) }), GATELESS),
  ],
  ['answers for another run', 1, finishChanged({ id: 'another' })],
  ['shows the run as running', 1, finishChanged({ status: 'running' })],
  ['shows the run as interrupted', 1, finishChanged({ status: 'interrupted' })],
  ['kept no decision', 5, finishChanged({ summary: undefined, passed: undefined }, PATIENT)],
  ['decides that the run failed', 5, finishChanged({ passed: false }, PATIENT)],
  ['leaves the run undecided', 5, finishChanged({ passed: undefined, undecided: true }, PATIENT)],
  ['drops the connection at the end', 1, finish(() => 'drop')],
  ['hangs at the end', 1, finish(() => 'hang')],
  ['hangs at reports', 1, onItems('hang')],
  ['drops all reports', 1, { interfere: ({ path }) => (/items$|finish$/.test(path) ? 'drop' : undefined) }],
  [
    'dies after the calls were fetched',
    1,
    { interfere: ({ path }) => (/calls|test-runs$|limit=1$/.test(path) ? undefined : 'drop') },
  ],
  ['dies before the run begins', 3, { interfere: () => 'drop' }],
  ['refuses every item', 5, onItems({ status: 400, body: '{"detail":"no"}' }, PATIENT)],
  [
    'claims to have stored more than it was sent',
    1,
    onItems({ status: 200, body: '{"accepted":9,"rejected":[]}' }),
  ],
];
