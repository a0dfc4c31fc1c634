import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { bind } from '../context/bind.js';
import { contextStorage } from '../context/context-storage.js';
import { getCurrentSpan } from '../context/handles.js';
import { injectTraceContext } from '../context/propagation.js';
import { createTestTracer } from '../testing.js';
import { BranchPosition } from './branch-position.js';

const { tracer, spans, clear } = createTestTracer();
const call = tracer.withSpan('call', async (name: string, ms = 0) => {
  await sleep(ms);
  return name;
});
const callSync = tracer.withSpan('call', (name: string) => name);

/** Which call each call comes after, as the records say: by the names that the calls were given. */
async function recordedOrder(work: () => unknown): Promise<Record<string, string | null | undefined>> {
  clear();
  await tracer.withSpan('desk', work)();
  const names = new Map(spans.map(({ id, span_data }) => [id, span_data.input?.[0] as string]));
  const calls = spans.filter(({ trace_function_key }) => trace_function_key === 'call');
  return Object.fromEntries(
    calls.map(({ id, span_data: { meta } }) => [
      names.get(id),
      typeof meta?.after === 'string' ? names.get(meta.after) : meta?.after,
    ]),
  );
}

beforeEach(clear);

describe('the recorded order of calls', () => {
  it('has each call of a sequence after the one before it, whether that returns a promise or not', async () => {
    const order = await recordedOrder(async () => {
      await call('a');
      callSync('b');
      await sleep(1);
      await call('c');
      callSync('d');
    });
    expect(order).toEqual({ a: undefined, b: 'a', c: 'b', d: 'c' });
  });

  it('has no order between calls that run at the same time', async () => {
    const order = await recordedOrder(async () => {
      await call('a');
      await Promise.all([call('b1'), call('b2')]);
      await call('c');
    });
    expect(order).toEqual({ a: undefined, b1: 'a', b2: 'a', c: 'b2' });
  });

  it('has no order between branches that wait before they call, though their calls do not overlap', async () => {
    const order = await recordedOrder(async () => {
      await call('first');
      const aIsDone = new EventEmitter();
      const branchA = async (): Promise<void> => {
        await sleep(1);
        await call('a1');
        await call('a2');
        aIsDone.emit('done');
      };
      const branchB = async (): Promise<void> => {
        await new Promise((resolve) => aIsDone.once('done', resolve));
        await call('b1');
        await call('b2');
      };
      await Promise.all([branchA(), branchB()]);
    });
    expect(order).toEqual({ first: undefined, a1: 'first', a2: 'a1', b1: 'first', b2: 'b1' });
  });

  it('records that a call has no predecessor, except for the first', async () => {
    const later = async (name: string): Promise<void> => {
      await sleep(1);
      await call(name);
    };
    const order = await recordedOrder(() => Promise.all([later('a'), later('b')]));
    expect(order).toEqual({ a: undefined, b: null });
  });

  it('orders a running call and the calls that its branch makes meanwhile neither way', async () => {
    const order = await recordedOrder(async () => {
      const slow = call('slow', 5);
      await call('a');
      await call('b');
      await slow;
      await call('c');
    });
    expect(order).toEqual({ slow: undefined, a: null, b: 'a', c: 'b' });
  });

  it('counts a call that failed or was cancelled as ended', async () => {
    const failing = tracer.withSpan('call', async (name: string) => Promise.reject(new Error(name)));
    const numbers = tracer.withSpan('call', function* (name: string) {
      yield name;
      yield name;
    });
    const order = await recordedOrder(async () => {
      await failing('fails').catch(() => undefined);
      for (const name of numbers('stops')) if (name !== '') break;
      await call('b');
    });
    expect(order).toEqual({ fails: undefined, stops: 'fails', b: 'stops' });
  });

  it('has calls after a stream after its end, and calls that were made while it was read without an order to it', async () => {
    const numbers = tracer.withSpan('call', async function* (name: string) {
      yield await Promise.resolve(name);
    });
    const order = await recordedOrder(async () => {
      for await (const name of numbers('stream')) await call(`during ${name}`);
      await call('behind');
    });
    expect(order).toEqual({ stream: undefined, 'during stream': null, behind: 'during stream' });
  });

  it('is that of the calls below each parent', async () => {
    const group = tracer.withSpan('call', async (name: string) => {
      await call(`${name}1`);
      await call(`${name}2`);
      return name;
    });
    const order = await recordedOrder(async () => {
      await group('a');
      await Promise.all([group('b'), group('c')]);
    });
    expect(order).toMatchObject({
      a1: undefined,
      a2: 'a1',
      b: 'a',
      b1: undefined,
      b2: 'b1',
      c: 'a',
      c2: 'c1',
    });
  });

  it('follows callbacks and emitters; a bound function keeps the order of where it was bound', async () => {
    const order = await recordedOrder(async () => {
      await call('a');
      const emitter = new EventEmitter();
      emitter.on(
        'event',
        bind((name: string) => callSync(name)),
      );
      callSync('b');
      await new Promise<void>((resolve) =>
        setImmediate(() => {
          callSync('c');
          contextStorage.exit(() => emitter.emit('event', 'bound'));
          emitter.emit('event', 'd');
          resolve();
        }),
      );
    });
    expect(order).toEqual({ a: undefined, b: 'a', c: 'b', bound: 'a', d: 'a' });
  });

  it('is undefined for calls after the end of the surrounding work, and for outermost calls', async () => {
    let late: Promise<unknown> | undefined;
    const order = await recordedOrder(async () => {
      await call('a');
      late = sleep(5).then(async () => {
        await call('b');
        await call('c');
      });
    });
    await late;
    await call('d');
    expect(order).toEqual({ a: undefined });
    expect(spans.filter(({ span_data: { meta } }) => meta?.after !== undefined)).toEqual([]);
    expect(contextStorage.getStore()).toBeUndefined();
  });

  it('keeps each call in the trace and below the parent that it would have without it', async () => {
    const request = tracer.withSpan('request', async (name: string) => {
      await Promise.all([call(name), call(name, 2).then(() => call(name))]);
      callSync(name);
      await sleep(1);
      expect(getCurrentSpan().traceId).toBe(
        spans.find(({ span_data }) => span_data.input?.[0] === name)?.trace_id,
      );
      await call(name);
      return getCurrentSpan().spanId;
    });
    const names = Array.from({ length: 50 }, (_, index) => `${index}`);
    const ids = await Promise.all(names.map((name) => request(name)));
    for (const [index, name] of names.entries()) {
      const calls = spans.filter(({ span_data }) => span_data.input?.[0] === name);
      expect(calls).toHaveLength(6);
      expect(new Set(calls.map(({ trace_id }) => trace_id)).size).toBe(1);
      expect(calls.filter(({ parent_id }) => parent_id === ids[index])).toHaveLength(5);
    }
  });

  it('is kept in one position, however many calls a branch has made', async () => {
    const positions: (BranchPosition | undefined)[] = [];
    await tracer.withSpan('desk', async () => {
      for (let count = 0; count < 3; count++) {
        await call('a');
        positions.push(contextStorage.getStore() as BranchPosition);
      }
    })();
    const [, , last] = positions;
    const held = Object.values(last ?? {});
    expect(held.filter((value) => value instanceof BranchPosition)).toEqual([]);
  });

  it('leaves everything else of the context as the frame has it', () => {
    tracer.withSpan('desk', () => {
      const frame = contextStorage.getStore()!;
      const before = injectTraceContext({});
      callSync('a');
      const position = contextStorage.getStore()!;
      expect(position).toBeInstanceOf(BranchPosition);
      expect(injectTraceContext({})).toEqual(before);
      expect(position.outgoing).toBe(frame);
      for (const member of [
        'trace',
        'parentId',
        'span',
        'replay',
        'within',
        'externalIds',
        'isOver',
      ] as const)
        expect([member, position[member]]).toEqual([member, frame[member]]);
      expect(position.isInReplay).toBe(false);
    })();
  });
});
