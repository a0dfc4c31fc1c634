import { Injectable, SetMetadata, Scope } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { getCurrentSpan } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { NoTrace } from './no-trace.decorator.js';
import { Traced } from './traced.decorator.js';

const apps: TestingModule[] = [];
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));

async function traced<T extends object>(service: new () => T) {
  const app = await Test.createTestingModule({
    imports: [TracerTestingModule.forRoot()],
    providers: [service],
  }).compile();
  apps.push(app);
  const tracing = app.get(TracerTestingModule);
  return {
    service: app.get(service),
    spans: tracing.spans,
    traces: tracing.traces,
    keys: () => tracing.spans.map((span) => span.trace_function_key),
  };
}

describe('a traced method', () => {
  it('keeps this, arguments, result, name, length and own properties', async () => {
    class Service {
      readonly #factor = 2;
      @Traced()
      times(a: number, b?: number): number {
        return a * (b ?? this.#factor);
      }
    }
    const { service, spans } = await traced(Service);
    Object.assign(service.times, { mark: 1 });
    expect([service.times(4), service.times.name, service.times.length]).toEqual([8, 'times', 2]);
    expect(service.times).toHaveProperty('mark', 1);
    expect(spans).toMatchObject([
      {
        trace_function_key: 'Service.times',
        name: 'times',
        type: 'custom',
        span_data: { input: [4], output: 8 },
      },
    ]);
  });

  it('throws the same error object', async () => {
    const error = new Error('broken');
    class Service {
      @Traced()
      fail(): never {
        throw error;
      }
    }
    const { service, spans } = await traced(Service);
    expect(() => service.fail()).toThrow(error);
    expect(spans[0]).toMatchObject({ status: 'error', span_data: { error: { message: 'broken' } } });
  });

  it.each(['above', 'below'])('keeps metadata of a decorator %s it', async (place) => {
    class Above {
      @SetMetadata('roles', ['admin'])
      @Traced()
      run(): void {
        // Only its metadata matters.
      }
    }
    class Below {
      @Traced()
      @SetMetadata('roles', ['admin'])
      run(): void {
        // Only its metadata matters.
      }
    }
    const { service } = await traced<Above>(place === 'above' ? Above : Below);
    expect(Reflect.getMetadata('roles', service.run)).toEqual(['admin']);
  });

  it('adds nothing visible to an instance', async () => {
    class Service {
      readonly value = 1;
      @Traced()
      run(): void {
        // Any decorated method.
      }
    }
    const { service } = await traced(Service);
    expect(Object.assign({}, service)).toEqual({ value: 1 });
    expect(service).toEqual(new Service());
    expect(Object.keys(service)).toEqual(['value']);
  });

  it('runs unrecorded without a TracerModule', async () => {
    class Service {
      @Traced()
      run(): string {
        return `ran ${getCurrentSpan().traceId}`;
      }
    }
    const app = await Test.createTestingModule({ providers: [Service] }).compile();
    expect(app.get(Service).run()).toBe('ran ');
    await app.close();
  });

  it('works in an auto-mocking test', async () => {
    class Service {
      @Traced()
      run(): string {
        return 'ran';
      }
    }
    const mock: object = new Proxy(() => undefined, {
      get: (_target, name) => (name === 'then' ? undefined : mock),
    });
    const app = await Test.createTestingModule({ providers: [Service] })
      .useMocker(() => mock)
      .compile();
    expect(app.get(Service).run()).toBe('ran');
    await app.close();
  });

  it('is recorded if it is static', async () => {
    class Service {
      @Traced()
      static make(): Service {
        return new Service();
      }
      readonly made = true;
    }
    const { keys } = await traced(Service);
    Service.make();
    expect(keys()).toEqual(['Service.make']);
  });

  it('is recorded on a provider from a factory', async () => {
    class Service {
      @Traced()
      run(): void {
        // Only the call matters.
      }
    }
    const app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      providers: [{ provide: 'MADE', useFactory: () => new Service() }],
    }).compile();
    const other = createTestTracer();
    await app.init();
    app.get<Service>('MADE').run();
    expect(app.get(TracerTestingModule).spans).toHaveLength(1);
    expect(other.spans).toHaveLength(0);
    await app.close();
  });

  it('reads session and trace context from its arguments', async () => {
    class Processor {
      @Traced('job', {
        sessionId: (job: { customer: string }) => job.customer,
        traceContext: (job: { traceparent: string }) => ({ traceparent: job.traceparent }),
        incoming: 'continue',
      })
      process(job: { customer: string; traceparent: string }): string {
        return job.customer;
      }
    }
    const { service, spans, traces } = await traced(Processor);
    service.process({
      customer: 'c1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(traces).toMatchObject([{ session_id: 'c1' }]);
    expect(spans).toMatchObject([
      { trace_id: '0af76519-16cd-43dd-8448-eb211c80319c', parent_id: 'b7ad6b7169203331' },
    ]);
  });

  it('runs when hooks in its options return rejected promises', async () => {
    const promising = async (): Promise<never> => Promise.reject(new Error('async hook'));
    class Service {
      @Traced({ sessionId: promising as never, traceContext: promising as never })
      run(value: string): string {
        return value;
      }
    }
    const { tracer, spans } = createTestTracer({ logger: { warn: () => undefined } });
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Service],
    }).compile();
    expect(app.get(Service).run('a')).toBe('a');
    await new Promise((resolve) => setImmediate(resolve));
    expect(spans).toMatchObject([{ status: 'ok' }]);
    await app.close();
  });

  it('runs when a hook in its options throws', async () => {
    class Service {
      @Traced({
        sessionId: () => {
          throw new Error('broken hook');
        },
        captureInput: () => {
          throw new Error('broken mapper');
        },
      })
      run(value: string): string {
        return value;
      }
    }
    const errors: unknown[] = [];
    const { tracer, spans } = createTestTracer({
      onError: (error) => errors.push(error),
      logger: { warn: () => undefined },
    });
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Service],
    }).compile();
    expect(app.get(Service).run('a')).toBe('a');
    expect(spans).toHaveLength(1);
    expect(errors).toMatchObject([{ code: 'TRACER_RECORDING' }]);
    await app.close();
  });

  it('follows captureInput and captureOutput', async () => {
    class Service {
      @Traced({ captureInput: ([user]) => ({ user }), captureOutput: false })
      login(user: string, password: string): string {
        return user + password;
      }
    }
    const { service, spans } = await traced(Service);
    service.login('ann', 'pw');
    expect(spans[0]?.span_data).toEqual({
      input: [{ user: 'ann' }],
      meta: { replayable: false, output: { replayable: false }, sync: true },
    });
  });
});

describe('inheritance', () => {
  class Base {
    @Traced('run')
    run(): string {
      return 'base';
    }
    @Traced('only.base')
    onlyBase(): string {
      return 'base';
    }
  }

  it('traces an inherited method once, with its key', async () => {
    class Sub extends Base {}
    const { service, keys } = await traced(Sub);
    service.onlyBase();
    expect(keys()).toEqual(['only.base']);
  });

  it('traces an override with the same key and the overridden method as one span', async () => {
    class Sub extends Base {
      @Traced('run')
      override run(): string {
        return `sub ${super.run()}`;
      }
    }
    const { service, spans } = await traced(Sub);
    expect(service.run()).toBe('sub base');
    expect(spans).toMatchObject([{ trace_function_key: 'run', span_data: { output: 'sub base' } }]);
  });

  it('does not trace an override without the decorator', async () => {
    class Sub extends Base {
      override run(): string {
        return 'sub';
      }
    }
    const { service, keys } = await traced(Sub);
    service.run();
    expect(keys()).toEqual([]);
  });
});

describe('a method that several classes inherit', () => {
  abstract class Model {
    @Traced('model.run')
    run(): string {
      return this.constructor.name;
    }
  }
  class Cheap extends Model {}
  class Dear extends Model {}

  it('is recorded under one key, with the class of the instance', async () => {
    const app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      providers: [Cheap, Dear],
    }).compile();
    apps.push(app);
    app.get(Cheap).run();
    app.get(Dear).run();
    app.get(Dear).run();
    expect(
      app.get(TracerTestingModule).spans.map((span) => [span.trace_function_key, span.span_data.meta?.class]),
    ).toEqual([
      ['model.run', 'Cheap'],
      ['model.run', 'Dear'],
      ['model.run', 'Dear'],
    ]);
  });

  it('is recorded without a class on the class that defines it', async () => {
    class Service {
      @Traced()
      async run(): Promise<string> {
        return 'ran';
      }
    }
    const { service, spans } = await traced(Service);
    await service.run();
    expect(spans[0]?.span_data.meta).toBeUndefined();
  });
});

describe('a key that two classes share', () => {
  class One {
    @Traced('shared')
    run(): void {
      // Only its key matters.
    }
  }
  class Heir extends One {
    @Traced('shared')
    override run(): void {
      // Only its key matters.
    }
  }
  class Other {
    @Traced('shared')
    work(): void {
      // Only its key matters.
    }
  }

  async function collectWarnings(providers: (new () => object)[]): Promise<string[]> {
    const warnings: string[] = [];
    const app = await Test.createTestingModule({ imports: [TracerTestingModule.forRoot()], providers })
      .setLogger({
        log: () => undefined,
        error: () => undefined,
        warn: (message: string) => warnings.push(message),
      })
      .compile();
    apps.push(app);
    await app.init();
    return warnings;
  }

  it('causes one warning at the start, with their names', async () => {
    expect(await collectWarnings([One, Other])).toEqual([
      expect.stringMatching(
        /^Several classes record under the key "shared": One\.run, Other\.work\. Use one key/,
      ),
    ]);
  });

  it('causes no warning if one of them extends the other', async () => {
    expect(await collectWarnings([One, Heir])).toEqual([]);
  });
});

describe('a traced property', () => {
  it('is recorded under its class and name, for example a saga', async () => {
    class Base {
      readonly name = 'sagas';
      @Traced()
      readonly onOrder = (order: string): string => `${this.name} ${order}`;
    }
    class Sagas extends Base {
      @Traced('own.key')
      readonly onMail = function (this: Sagas, mail: string): string {
        return `${this.name} ${mail}`;
      };
    }
    const { service, keys } = await traced(Sagas);
    expect([service.onOrder('a'), service.onMail('b')]).toEqual(['sagas a', 'sagas b']);
    expect(keys()).toEqual(['Base.onOrder', 'own.key']);
  });

  it('without a function is refused by class and name when the instance is created', async () => {
    class Service {
      @Traced()
      readonly run: string = 'a text';
    }
    await expect(traced(Service)).rejects.toThrow(
      /@Traced on Service\.run is on a property that holds string/,
    );
  });
});

describe('a traced class', () => {
  it('traces methods with a symbol as name, but no conversions', async () => {
    const ask = Symbol('ask');
    @Traced()
    class Service {
      [ask](): string {
        return 'asked';
      }
      *[Symbol.iterator](): Generator<number> {
        yield 1;
      }
      toJSON(): string {
        return 'json';
      }
      toString(): string {
        return 'text';
      }
      valueOf(): number {
        return 1;
      }
      [Symbol.toPrimitive](): string {
        return 'primitive';
      }
    }
    const { service, keys } = await traced(Service);
    service[ask]();
    expect([...service]).toEqual([1]);
    expect([JSON.stringify(service), String(service), service.toString(), service.valueOf()]).toEqual([
      '"json"',
      'primitive',
      'text',
      1,
    ]);
    expect(keys()).toEqual(['Service.Symbol(ask)', 'Service.Symbol(Symbol.iterator)']);
  });

  it('traces its own methods, except accessors, hooks, NoTrace and methods with their own key', async () => {
    @Traced({ type: 'function' })
    class Service {
      get accessor(): string {
        return 'read';
      }
      first(): void {
        this.second();
      }
      second(): void {
        // Called by the first method.
      }
      @Traced('own.key', { type: 'llm', kind: 'evaluator', level: 'debug' })
      third(): void {
        // Only the call matters.
      }
      @NoTrace()
      hidden(): void {
        this.second();
      }
      onModuleInit(): void {
        // Nest calls it.
      }
    }
    const { service, spans } = await traced(Service);
    expect(service.accessor).toBe('read');
    service.first();
    service.third();
    service.hidden();
    service.onModuleInit();
    expect(spans.find(({ type }) => type === 'llm')).toMatchObject({ kind: 'evaluator', level: 'debug' });
    expect(spans.map((span) => [span.trace_function_key, span.type])).toEqual([
      ['Service.second', 'function'],
      ['Service.first', 'function'],
      ['own.key', 'llm'],
    ]);
  });

  it('uses its key as the first part of its keys', async () => {
    @Traced('support')
    class Service {
      answer(): void {
        // Only the call matters.
      }
    }
    const { service, keys } = await traced(Service);
    service.answer();
    expect(keys()).toEqual(['support.answer']);
  });

  it('keeps the metadata of its methods', async () => {
    @Traced()
    class Service {
      @SetMetadata('roles', ['admin'])
      run(): void {
        // Only its metadata matters.
      }
    }
    const { service } = await traced(Service);
    expect(Reflect.getMetadata('roles', service.run)).toEqual(['admin']);
  });
});

describe('NoTrace', () => {
  it('records nothing inside a class or a method', async () => {
    @NoTrace()
    class Health {
      check(inner: () => void): void {
        inner();
      }
    }
    const { tracer, spans } = createTestTracer();
    new Health().check(tracer.withSpan('inner', () => undefined));
    expect(spans).toEqual([]);
  });
});

describe('circular providers', () => {
  it('are traced', async () => {
    @Injectable({ scope: Scope.DEFAULT })
    class Ping {
      pong?: { answer(): string };
      @Traced()
      ask(): string | undefined {
        return this.pong?.answer();
      }
    }
    class Pong {
      @Traced()
      answer(): string {
        return 'pong';
      }
    }
    const { service, keys } = await traced(Ping);
    service.pong = new Pong();
    expect(service.ask()).toBe('pong');
    expect(keys()).toEqual(['Pong.answer', 'Ping.ask']);
  });
});

describe('invalid uses', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['a blank key', () => Traced(' '), /NESTJS_INVALID_OPTION|Omit it for Class.method/],
    ['an unknown type', () => Traced({ type: 'model' as never }), /Use one of llm, agent/],
    [
      'a sessionId that is not a function',
      () => Traced({ sessionId: 's' as never }),
      /Write it like sessionId/,
    ],
    [
      'an accessor',
      () => {
        class Service {
          @Traced()
          get run(): string {
            return 'read';
          }
        }
        return Service;
      },
      /@Traced on Service\.run is on an accessor\. Move the code to a method/,
    ],
    [
      'a static property',
      () => {
        class Service {
          @Traced()
          static readonly run = () => 'ran';
          readonly made = true;
        }
        return Service;
      },
      /@Traced on Service\.run is on a static property/,
    ],
  ])('are refused, and the message says what to do: %s', (_mistake, make, cure) => {
    expect(make).toThrow(cure);
  });
});
