import { call, inside, now, past } from '../../../test/replay/inner-calls.js';
import { MockPolicy } from './mock-policy.js';

const all = new MockPolicy('all', undefined);
const cancelled = past('a', 'chat', 'hi', { type: 'llm', status: 'cancelled', meta: {} });

/** What has become of a promise by now. */
async function readState(promise: unknown): Promise<unknown> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  return Promise.race([promise, Promise.resolve('pending')]);
}

describe('a call that was cancelled when it was recorded', () => {
  it('stays pending until the replayed call ends, and stays so where it is cancelled again', async () => {
    const controller = new AbortController();
    const calls = inside([cancelled], all);
    const answer = call(calls, { ...now('1', 'chat', 'hi'), signals: [controller.signal] });
    expect(await readState(answer)).toBe('pending');
    controller.abort();
    calls.close();
    expect(await readState(answer)).toBe('pending');
    expect(calls.divergences()).toEqual([]);
  });

  it('stays pending where one of several signals cancels it', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = inside([cancelled], all);
    const answer = call(calls, { ...now('1', 'chat', 'hi'), signals: [first.signal, second.signal] });
    second.abort();
    calls.close();
    expect(await readState(answer)).toBe('pending');
  });

  it('fails with the replayed call when nothing cancels it any more, and is a divergence', async () => {
    const calls = inside([cancelled], all);
    const answer = call(calls, { ...now('1', 'chat', 'hi'), signals: [new AbortController().signal] });
    calls.close();
    const reason = 'it was withdrawn in the recording, but not in the replay';
    await expect(answer).rejects.toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
      message: expect.stringMatching(new RegExp(`: ${reason}\\. .*record`, 'i')),
    });
    expect(calls.divergences()).toMatchObject([{ kind: 'unanswerable', path: ['chat'], reason }]);
  });

  it('fails once: a call that ended before the replayed one does not fail with it', async () => {
    const calls = inside([cancelled], all);
    const opened = { ...now('1', 'chat', 'hi'), signals: [new AbortController().signal] };
    const answer = call(calls, opened);
    calls.ended(opened);
    calls.close();
    expect(await readState(answer)).toBe('pending');
    expect(calls.divergences()).toEqual([]);
  });

  it('fails at once where it can be cancelled by nothing', async () => {
    const calls = inside([cancelled], all);
    await expect(call(calls, now('1', 'chat', 'hi'))).rejects.toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
    });
  });

  it('is answered when it was not cancelled, even if it could have been', async () => {
    const calls = inside([{ ...cancelled, status: 'ok' }], all);
    const answer = call(calls, { ...now('1', 'chat', 'hi'), signals: [new AbortController().signal] });
    expect(await answer).toBe('a');
  });
});
