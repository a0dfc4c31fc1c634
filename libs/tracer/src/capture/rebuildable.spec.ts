import { createTestTracer } from '../testing.js';
import type { CaptureOptions } from '../options/capture-options.js';

class Customer {
  constructor(readonly mail: string) {}
  get domain(): string {
    return this.mail.split('@')[1] ?? '';
  }
}
class Ticket {
  at = new Date(0);
  constructor(readonly customer: Customer) {}
  title(): string {
    return `of ${this.customer.domain}`;
  }
}
class Sealed {
  #secret = 1;
  reveal(): number {
    return this.#secret;
  }
}
class Branded {
  #brand = true;
  static is(value: object): boolean {
    return #brand in value;
  }
  run(): boolean {
    return Branded.is(this);
  }
}
class SealedHeir extends Sealed {
  name = 'heir';
  greet(): string {
    return this.name;
  }
}
const secrets = new WeakMap<object, string>();
class Weak {
  constructor() {
    secrets.set(this, 'x');
  }
  reveal(): string | undefined {
    return secrets.get(this);
  }
}
class Answering {
  kind = 'a';
  toJSON(): object {
    return { kind: 'b' };
  }
}
class Money {
  readonly of = new Customer('a@b.cd');
}

/** What stands in the record of a call. */
function recorded(
  args: unknown[],
  capture: CaptureOptions = {},
  captureInput?: (args: readonly unknown[]) => unknown,
) {
  const { tracer, spans } = createTestTracer({ capture });
  tracer.withSpan('desk', { captureInput }, (...passed: unknown[]) => passed.length)(...args);
  return spans[0]!.span_data.meta;
}

const ticket = () => new Ticket(new Customer('ann@example.com'));

describe('an input of which only methods are missing', () => {
  it('is noted with the objects that have them', () => {
    expect(recorded([ticket()])).toEqual({
      input: {
        types: {
          '/0': { type: 'class', class: 'Ticket', methods: true },
          '/0/customer': { type: 'class', class: 'Customer', methods: true },
          '/0/at': 'Date',
        },
      },
      sync: true,
      replayable: false,
      rebuildable: true,
    });
  });

  it('is noted too when a secret in it was masked', () => {
    const meta = recorded([new Ticket(new Customer('a@b.cd')), { password: 'hunter2' }]);
    expect(meta).toMatchObject({ rebuildable: true, input: { redacted: ['/1/password'] } });
  });

  it('is noted when the same object appears in it twice', () => {
    const one = ticket();
    expect(recorded([one, { again: one }])?.['rebuildable']).toBe(true);
  });

  it('needs no such note when nothing is missing', () => {
    expect(recorded([{ plain: 1 }])).toEqual({ sync: true });
  });

  it.each<[string, unknown[], CaptureOptions?, ((args: readonly unknown[]) => unknown)?]>([
    ['a function stands beside it', [ticket(), () => 1]],
    [
      'a getter of its own was not read',
      [Object.defineProperty(ticket(), 'x', { get: () => 1, enumerable: true })],
    ],
    ['something was cut', [ticket(), 'x'.repeat(9_000)], { maxFieldBytes: 4096 }],
    ['a mapper chose what is recorded', [ticket()], {}, (args) => args],
    ['inputs are not recorded', [ticket()], { input: false }],
    ['its class has #private fields', [new Sealed()]],
    ['its class tells its own by a #private field', [new Branded()]],
    ['a class that it extends has them', [new SealedHeir()]],
    ['its class keeps state in a WeakMap', [new Weak()]],
    ['it has properties that are not enumerable', [Object.defineProperty(ticket(), 'hidden', { value: 1 })]],
    ['it has properties under symbols', [Object.assign(ticket(), { [Symbol('s')]: 1 })]],
    ['it stands as what its toJSON answers', [new Answering()]],
    [
      'its class has no name',
      [
        new (class {
          run() {
            return 1;
          }
        })(),
      ],
    ],
    [
      'it stands inside what a codec encodes',
      [new Money()],
      {
        codecs: [
          {
            name: 'Money',
            recognise: (value) => value instanceof Money,
            encode: (value) => ({ of: (value as Money).of }),
            decode: () => new Money(),
          },
        ],
      },
    ],
    [
      'the hook for secrets fails',
      [ticket()],
      {
        redact: () => {
          throw new Error('no');
        },
      },
    ],
  ])('is not what stands there when %s', (_, args, capture = {}, captureInput) => {
    const meta = recorded(args, capture, captureInput);
    expect(meta?.replayable).toBe(false);
    expect(meta).not.toHaveProperty('rebuildable');
  });

  it('is still noted next to a codec that does not cover it', () => {
    const codec = {
      name: 'Money',
      recognise: (value: object) => value instanceof Money,
      encode: () => ({}),
      decode: () => new Money(),
    };
    expect(recorded([new Money(), ticket()], { codecs: [codec] })?.['rebuildable']).toBe(true);
  });
});
