import type { RecordedCall } from '@dacapo/protocol';
import { answerInTurn, answersAtOnce } from './answer-in-turn.js';
import { CompletionOrder, type Moment } from './completion-order.js';
import type { StreamTurns } from './restore-outcome.js';

/** In the event loop, as many turns as nothing here could take. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const moment = (endUs: number, startUs = 0, latestMs = 1e9): Moment => ({ startUs, endUs, latestMs });

describe('answers that wait for their turn', () => {
  const collectOrder = async (order: CompletionOrder, moments: readonly Moment[]): Promise<number[]> => {
    const arrived: number[] = [];
    await Promise.all(moments.map(async (one, index) => order.turn(one).then(() => arrived.push(index))));
    return arrived;
  };

  it('come in the order of their ends, then of their starts, then of their creation', async () => {
    const order = new CompletionOrder(() => 0);
    const moments = [moment(30), moment(10, 5), moment(10, 2), moment(10, 2), moment(20)];
    expect(await collectOrder(order, moments)).toEqual([2, 3, 1, 4, 0]);
    expect(order.hasTies).toBe(false);
  });

  it('come one per turn, after the effects of the previous one', async () => {
    const order = new CompletionOrder(() => 0);
    const seen: string[] = [];
    const first = order.turn(moment(1)).then(async () => {
      seen.push('first');
      for (let step = 0; step < 5; step++) await Promise.resolve();
      seen.push('what it set off');
    });
    await Promise.all([order.turn(moment(2)).then(() => seen.push('second')), first]);
    expect(seen).toEqual(['first', 'what it set off', 'second']);
  });

  it('come after calls without recorded times', async () => {
    const order = new CompletionOrder(() => 0);
    const seen: string[] = [];
    await Promise.all([
      order.turn(moment(-5)).then(() => seen.push('recorded')),
      order.next().then(() => seen.push('not')),
    ]);
    expect(seen).toEqual(['not', 'recorded']);
    await Promise.all([
      order.next().then(() => seen.push('not again')),
      order.turn(moment(-5)).then(() => seen.push('recorded again')),
    ]);
    expect(seen.slice(2)).toEqual(['not again', 'recorded again']);
  });

  it('come each in a turn of its own', async () => {
    const order = new CompletionOrder(() => 0);
    let turn = 0;
    let counting = setImmediate(function count() {
      turn++;
      counting = setImmediate(count);
    });
    const turns = await Promise.all(
      [1, 2, 3].map(async (endUs) => order.turn(moment(endUs)).then(() => turn)),
    );
    clearImmediate(counting);
    expect(new Set(turns).size).toBe(3);
  });

  it('wait for a call that really runs and ended before them, rounding aside', async () => {
    const order = new CompletionOrder(() => 0);
    const seen: number[] = [];
    order.began('a', 97);
    const late = [99, 100].map(async (endUs) => order.turn(moment(endUs)).then(() => seen.push(endUs)));
    await manyTurns();
    expect(seen).toEqual([99]);
    order.ended('another');
    await manyTurns();
    expect(seen).toEqual([99]);
    order.ended('a');
    await Promise.all(late);
    expect(seen).toEqual([99, 100]);
  });

  it('wait at most their own duration, and not at all without recorded times', async () => {
    const order = new CompletionOrder(() => 50);
    order.began('a', 0);
    await order.turn(moment(100, 0, 50));
    order.began('b', -1e9);
    await order.next();
    let hasCome = false;
    const waiting = order.turn(moment(100, 0, 1e9)).then(() => (hasCome = true));
    await manyTurns();
    expect(hasCome).toBe(false);
    order.ended('a');
    order.ended('b');
    await waiting;
  });

  it('have ties when recorded times may be off by as much, and come in the noted order then', async () => {
    const moments = [moment(1999), moment(1000)];
    const recorded = new CompletionOrder(() => 0, 1000);
    expect([await collectOrder(recorded, moments), recorded.hasTies]).toEqual([[1, 0], true]);
    const made = new CompletionOrder(() => 0, 1000, 'made');
    expect([await collectOrder(made, moments), made.hasTies]).toEqual([[0, 1], true]);
    const apart = new CompletionOrder(() => 0, 1000, 'made');
    expect([await collectOrder(apart, [moment(2000), moment(1000)]), apart.hasTies]).toEqual([[1, 0], false]);
  });
});

describe('the answer of a recorded call', () => {
  const call = (meta: RecordedCall['meta']): RecordedCall =>
    ({ started_at: '1970-01-01T00:00:01.000Z', duration_ms: 10, meta }) as RecordedCall;

  /** When the answer and its items come, in microseconds after the call began; how long they wait, in milliseconds. */
  const collectMoments = async (
    meta: RecordedCall['meta'],
    indexes: readonly number[],
  ): Promise<[number, number][]> => {
    const moments: [number, number][] = [];
    class Watched extends CompletionOrder {
      override turn(one: Moment): Promise<void> {
        moments.push([one.endUs - one.startUs, one.latestMs]);
        return super.turn(one);
      }
    }
    const give = async (turns: StreamTurns): Promise<void> => {
      for (const index of indexes) await turns(index);
    };
    const answer = answerInTurn(async () => undefined, call(meta), give, new Watched(() => 1000), 100);
    await answer();
    return moments;
  };

  it('comes at its recorded end; items of a stream one after the other', async () => {
    expect(await collectMoments({}, [])).toEqual([[10_000, 110]]);
    const stream = { kind: 'async-iterable', items: 4, time_to_first_item_ms: 2 } as const;
    expect(await collectMoments({ stream }, [1, 2, 4])).toEqual([
      [2000, 102],
      [4000, 104],
      [6000, 106],
      [10_000, 110],
    ]);
    expect(await collectMoments({ stream: { ...stream, time_to_first_item_ms: 20 } }, [2])).toEqual([
      [10_000, 110],
      [10_000, 110],
    ]);
    expect(await collectMoments({ stream: { ...stream, items: 0 } }, [0])).toEqual([
      [2000, 102],
      [10_000, 110],
    ]);
  });

  it('comes at once when the function returns synchronously now, or did then', () => {
    const generator = function* (): Generator<number> {
      yield 1;
    };
    expect(answersAtOnce(generator, call({}))).toBe(true);
    expect(answersAtOnce(async () => undefined, call({ sync: true }))).toBe(false);
    expect(answersAtOnce(() => undefined, call({ sync: true }))).toBe(true);
    expect(answersAtOnce(() => undefined, call({}))).toBe(false);
    expect(answersAtOnce(() => undefined, undefined)).toBe(true);
  });
});
