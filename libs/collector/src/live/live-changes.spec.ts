import { Locks, OwnLocks } from '../storage/coordination/locks.js';
import { LiveChanges, MOST_STREAMS } from './live-changes.js';

const MINUTE = 60_000;

class SharedLocks extends Locks {
  exclusively<T>(_: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    return work(new AbortController().signal);
  }
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});

afterEach(() => {
  jest.useRealTimers();
});

const open = (changes: LiveChanges, account = 'a') => {
  const stream = changes.open(account, MINUTE);
  const seen = { events: 0, beats: 0, hasEnded: false };
  stream.on('data', (data: Buffer) => {
    if (String(data).startsWith('event: change\n')) seen.events += 1;
    else seen.beats += 1;
  });
  stream.on('end', () => {
    seen.hasEnded = true;
  });
  return { stream, seen };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const advance = async (ms: number): Promise<void> => {
  await jest.advanceTimersByTimeAsync(ms);
  await turn();
};

it('sends an event to each page of the account that stored something', async () => {
  const changes = new LiveChanges(new OwnLocks());
  const [one, two, other] = [open(changes), open(changes), open(changes, 'b')];
  changes.changed('a');
  await turn();
  expect([one, two, other].map(({ seen }) => seen.events)).toEqual([1, 1, 0]);
});

it('sends one event a second at most, and the last change is not lost', async () => {
  const changes = new LiveChanges(new OwnLocks());
  const { seen } = open(changes);
  for (let change = 0; change < 10; change += 1) changes.changed('a');
  await turn();
  expect(seen.events).toBe(1);
  await advance(1_000);
  expect(seen.events).toBe(2);
  await advance(5_000);
  expect(seen.events).toBe(2);
  changes.changed('a');
  await turn();
  expect(seen.events).toBe(3);
});

it('sends something often enough for proxies, and ends after the time that was asked for', async () => {
  const { seen } = open(new LiveChanges(new OwnLocks()));
  await advance(MINUTE - 1);
  expect(seen).toEqual({ events: 0, beats: 4, hasEnded: false });
  await advance(1);
  expect(seen.hasEnded).toBe(true);
});

it('sends events all the time where another collector may have stored something', async () => {
  const { seen, stream } = open(new LiveChanges(new SharedLocks()));
  await advance(9_000);
  expect(seen.events).toBe(3);
  stream.destroy();
  await turn();
  expect(jest.getTimerCount()).toBe(0);
});

it('refuses an account too many streams, and makes room when one is left', async () => {
  const changes = new LiveChanges(new OwnLocks());
  const [first] = Array.from({ length: MOST_STREAMS }, () => open(changes));
  expect(() => changes.open('a', MINUTE)).toThrow('At most 32 pages');
  expect(() => changes.open('b', MINUTE)).not.toThrow();
  first?.stream.destroy();
  await turn();
  expect(() => changes.open('a', MINUTE)).not.toThrow();
});

it('ends all streams when the service stops, and sends nothing after their end', async () => {
  const changes = new LiveChanges(new OwnLocks());
  const { seen } = open(changes);
  const slow = changes.open('a', MINUTE);
  changes.beforeApplicationShutdown();
  changes.changed('a');
  await advance(MINUTE);
  expect(slow.readableEnded).toBe(false);
  expect(seen.events).toBe(0);
  await turn();
  expect(seen.hasEnded).toBe(true);
});
