import { EventEmitter } from 'node:events';
import { createTestTracer } from '../../testing.js';

const setUp = createTestTracer;

class Cursor {
  #position = 0;
  get position(): number {
    return this.#position;
  }
  set position(value: number) {
    this.#position = value;
  }
  readonly rewind = Object.assign(() => (this.#position = 0), { cost: 'cheap' });
  limit(): this {
    return this;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    yield ++this.#position;
  }
}

describe('a followed object', () => {
  it('sets values through setters that reach private fields', () => {
    const cursor = setUp().tracer.withSpan('k', () => new Cursor())();
    cursor.position = 7;
    expect(cursor.position).toBe(7);
  });

  it('returns the same method each time, with its own properties, so that a listener can be removed', () => {
    const cursor = setUp().tracer.withSpan('k', () => new Cursor())();
    expect(cursor.rewind).toBe(cursor.rewind);
    expect(cursor.rewind.cost).toBe('cheap');
    const events = new EventEmitter();
    events.on('rewind', cursor.rewind);
    events.off('rewind', cursor.rewind);
    expect(events.listenerCount('rewind')).toBe(0);
    expect(cursor.limit()).toBe(cursor);
  });

  it('keeps its class and its own text', () => {
    class Query {
      toString(): string {
        return 'select 1';
      }
      then(done: (rows: number[]) => void): void {
        done([1]);
      }
    }
    const query = setUp().tracer.withSpan('k', () => new Query())();
    expect(String(query)).toBe('select 1');
    expect(query.constructor).toBe(Query);
  });

  it('uses an iterator that its holder sets', async () => {
    const cursor = setUp().tracer.withSpan('k', () => new Cursor())();
    cursor[Symbol.asyncIterator] = async function* () {
      yield 42;
    };
    for await (const item of cursor) expect(item).toBe(42);
  });

  it('is the same object when it is returned again, as from a pool or a bus', () => {
    const test = setUp();
    const bus = new Cursor();
    const getBus = test.tracer.withSpan('k', () => bus);
    expect(getBus()).toBe(getBus());
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });

  it.each([
    ['iterable', { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true }) }) }],
    ['thenable', { then: (done: (value: number) => unknown) => done(1) }],
  ])('is passed on untouched where a frozen %s lets nothing be followed', (_, frozen) => {
    const test = setUp();
    Object.freeze(frozen);
    const result = test.tracer.withSpan('k', () => frozen)();
    expect(result).toBe(frozen);
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });
});
