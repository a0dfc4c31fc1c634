import { createTestTracer } from '../testing.js';
import { whyNotReplayable } from './why-not-replayable.js';

class Sealed {
  #total = 1;
  total(): number {
    return this.#total;
  }
}

class Order {
  constructor(readonly lines: string[]) {}
  total(): number {
    return this.lines.length;
  }
}

/** What stands in the record of a call. */
function recorded(args: unknown[], captureInput?: (args: readonly unknown[]) => unknown) {
  const { tracer, spans } = createTestTracer({ capture: { maxFieldBytes: 4096 } });
  tracer.withSpan('desk', { captureInput }, (...passed: unknown[]) => passed.length)(...args);
  return spans[0]!.span_data.meta;
}

describe('an input that cannot be made again', () => {
  it.each([
    [
      'an object of a class with methods',
      [1, new Order([])],
      'argument 2 was of class Order, whose data is recorded and whose methods are not',
      'ReplayService',
    ],
    ['private state', [new Sealed()], 'argument 1 was of class Sealed, whose data', 'codec'],
    ['one inside another', [{ of: new Order([]) }], 'argument 1 at /of was of class Order', 'codec'],
    [
      'a function',
      [{ then: 1, done: () => 1 }],
      'argument 1 at /done was of type Function, which is recorded only',
      'Pass data',
    ],
    ['what was cut', ['x'.repeat(9_000)], 'argument 1 was cut', 'capture.maxFieldBytes'],
  ])('names %s', (_, args, problem, cure) => {
    const meta = recorded(args);
    expect(meta?.replayable).toBe(false);
    const why = whyNotReplayable(meta);
    expect(why.problem).toContain(problem);
    expect(why.cure).toContain(cure);
  });

  it('mentions captureInput when nothing is missing in the recording', () => {
    const meta = recorded(['a secret'], () => ['something else']);
    expect(meta?.replayable).toBe(false);
    expect(whyNotReplayable(meta).problem).toContain('captureInput');
  });
});
