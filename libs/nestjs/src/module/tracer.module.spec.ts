import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Controller, Get, Injectable, Module, Scope } from '@nestjs/common';
import { LazyModuleLoader, ModulesContainer } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { DatasetsClient, IndexesClient, Tracer } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { getDatasetsToken, getIndexesToken, getTracerToken } from '../tokens.js';
import { InjectTracer } from '../tracing/inject-tracer.decorator.js';
import { Traced } from '../tracing/traced.decorator.js';
import { readEnvironment } from './define-module.js';
import type { TracerModuleOptions, TracerOptionsFactory } from './module-options.js';
import { TracerModule } from './tracer.module.js';

@Injectable()
class Answers {
  @Traced('support.answer', { type: 'llm' })
  answer(question: string): string {
    return `${question}!`;
  }
}

async function recordSpans(options: TracerModuleOptions, build: (options: TracerModuleOptions) => unknown) {
  const { tracer, spans } = createTestTracer();
  const app = await Test.createTestingModule({
    imports: [build({ ...options, tracer }) as never],
    providers: [Answers],
  }).compile();
  app.get(Answers).answer('why');
  await app.close();
  return spans;
}

describe('TracerModule', () => {
  it('does not leak from an application that failed to start into the next', async () => {
    const failing = Test.createTestingModule({
      imports: [TracerModule.forRoot({ apiKey: 'failed' })],
      providers: [
        {
          provide: 'DATABASE',
          useFactory: () => {
            throw new Error('no database');
          },
        },
      ],
    }).compile();
    await expect(failing).rejects.toThrow('no database');
    const loose = new Answers();
    const next = createTestTracer();
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer: next.tracer })],
    }).compile();
    await app.init();
    loose.answer('why');
    expect(next.spans).toMatchObject([{ trace_function_key: 'support.answer' }]);
    await app.close();
    await next.tracer.shutdown();
  });

  it('masks the personal data that `capture.pii` names, in requests of its own service', async () => {
    const bodies: Buffer[] = [];
    const service = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk));
      request.on('end', () => response.end('{"accepted":1,"duplicates":0,"rejected":[]}'));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const app = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({
          apiKey: 'key-1',
          serviceUrl,
          delivery: { spool: false },
          capture: { pii: ['email', 'iban'] },
        }),
      ],
      providers: [Answers],
    }).compile();
    app.get(Answers).answer('Write to ann@example.com about DE89370400440532013000, not to +49 30 1234567');
    await app.close();
    service.close();
    const sent = Buffer.concat(bodies).toString();
    expect(sent).toContain('support.answer');
    expect(sent).not.toMatch(/ann@example|DE8937/);
    // A kind that is not named stays.
    expect(sent.match(/\+49 30 1234567/g)).toHaveLength(2);
  });

  it('provides Tracer, IndexesClient and DatasetsClient by class and by token', async () => {
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ enabled: false })],
    }).compile();
    expect(app.get(Tracer)).toBeInstanceOf(Tracer);
    expect(app.get(getTracerToken())).toBe(app.get(Tracer));
    expect(app.get(IndexesClient)).toBe(app.get(Tracer).indexes);
    expect(app.get(getIndexesToken())).toBe(app.get(IndexesClient));
    expect(app.get(DatasetsClient)).toBe(app.get(Tracer).datasets);
    expect(app.get(getDatasetsToken())).toBe(app.get(DatasetsClient));
    await app.close();
  });

  it.each<[string, (options: TracerModuleOptions) => unknown]>([
    ['forRoot', (options) => TracerModule.forRoot(options)],
    ['forRootAsync', (options) => TracerModule.forRootAsync({ useFactory: () => ({ ...options }) })],
  ])('keeps no printable secret of %s in the container, not even in hidden properties', async (_, build) => {
    const secrets = { apiKey: 'dcp_the-key', envVars: { OPENAI_API_KEY: 'sk-the-key' } };
    const app = await Test.createTestingModule({
      imports: [build({ ...secrets, serviceUrl: 'http://127.0.0.1:9', delivery: { spool: false } }) as never],
      providers: [Answers],
    }).compile();
    await app.init();
    for (const { providers } of app.get(ModulesContainer).values()) {
      for (const { instance, name } of providers.values()) {
        const shown = inspect(instance, { showHidden: true, depth: 6 });
        expect([name, /the-key/.test(shown)]).toEqual([name, false]);
      }
    }
    await app.close();
  });

  it('reports an import without forRoot and what to write', async () => {
    const bare = Test.createTestingModule({ imports: [TracerModule] }).compile();
    await expect(bare).rejects.toThrow(/TracerModule\.forRoot\(\)/);
  });

  it('traces with the options of forRoot', async () => {
    const spans = await recordSpans({}, (options) => TracerModule.forRoot(options));
    expect(spans).toMatchObject([
      { trace_function_key: 'support.answer', type: 'llm', span_data: { input: ['why'] } },
    ]);
  });

  it.each<[string, (options: TracerModuleOptions) => unknown]>([
    [
      'useFactory, inject and imports',
      (options) => {
        @Module({ providers: [{ provide: 'OPTIONS', useValue: options }], exports: ['OPTIONS'] })
        class ConfigModule {}
        return TracerModule.forRootAsync({
          imports: [ConfigModule],
          inject: ['OPTIONS'],
          useFactory: async (moduleOptions: TracerModuleOptions) => moduleOptions,
        });
      },
    ],
    [
      'useClass',
      (options) => {
        @Injectable()
        class Config implements TracerOptionsFactory {
          createTracerOptions = () => options;
        }
        return TracerModule.forRootAsync({ useClass: Config });
      },
    ],
    [
      'useExisting',
      (options) => {
        @Module({
          providers: [{ provide: 'CONFIG', useValue: { createTracerOptions: () => options } }],
          exports: ['CONFIG'],
        })
        class ConfigModule {}
        return TracerModule.forRootAsync({ imports: [ConfigModule], useExisting: 'CONFIG' });
      },
    ],
  ])('traces with the options of forRootAsync by %s', async (_way, build) => {
    expect(await recordSpans({}, build)).toHaveLength(1);
  });

  it('reads options that are getters of a class', async () => {
    class Config implements TracerModuleOptions {
      get enabled(): boolean {
        return false;
      }
      get apiKey(): string {
        return 'key';
      }
    }
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRootAsync({ useFactory: () => new Config() })],
    }).compile();
    expect(app.get(Tracer).enabled).toBe(false);
    await app.close();
  });

  it('refuses a string for requests, such as the text of an environment variable', async () => {
    const building = Test.createTestingModule({
      imports: [TracerModule.forRoot({ requests: 'false' as never })],
    }).compile();
    await expect(building).rejects.toThrow(/requests must be true or false, not "false"\. .*process\.env/);
  });

  it.each([true, 'clients', { clients: 'yes' }])(
    'rejects propagate: %j, with the cure',
    async (propagate) => {
      const boot = async () =>
        Test.createTestingModule({
          imports: [TracerModule.forRoot({ apiKey: 'k', propagate: propagate as never })],
        }).compile();
      await expect(boot()).rejects.toThrow('Write propagate: { clients: true, queues: true }');
    },
  );

  it('rejects forRootAsync without a factory, with the cure', () => {
    expect(() => TracerModule.forRootAsync({})).toThrow(
      /exactly one of useFactory, useClass and useExisting/,
    );
  });

  it('keeps named tracers apart', async () => {
    const main = createTestTracer();
    const evals = createTestTracer();
    @Injectable()
    class Judge {
      constructor(@InjectTracer('evals') readonly tracer: Tracer) {}
      @Traced('judge', { tracer: 'evals' })
      judge(): void {
        // Only the call matters.
      }
    }
    const app = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({ tracer: main.tracer }),
        TracerModule.forRoot({ name: 'evals', tracer: evals.tracer }),
      ],
      providers: [Judge, Answers],
    }).compile();
    app.get(Judge).judge();
    app.get(Answers).answer('why');
    expect(app.get(Judge).tracer).toBe(evals.tracer);
    expect(main.spans.map((span) => span.trace_function_key)).toEqual(['support.answer']);
    expect(evals.spans.map((span) => span.trace_function_key)).toEqual(['judge']);
    await app.close();
  });

  it('gives each application of the process its own tracer', async () => {
    const one = createTestTracer();
    const two = createTestTracer();
    const apps = await Promise.all(
      [one, two].map(({ tracer }) =>
        Test.createTestingModule({
          imports: [TracerModule.forRoot({ tracer })],
          providers: [Answers],
        }).compile(),
      ),
    );
    apps[0]?.get(Answers).answer('one');
    apps[1]?.get(Answers).answer('two');
    expect([one.spans[0]?.span_data.input, two.spans[0]?.span_data.input]).toEqual([['one'], ['two']]);
    expect([one.spans.length, two.spans.length]).toEqual([1, 1]);
    await Promise.all(apps.map((app) => app.close()));
  });

  it('boots when its options depend on a class with traced methods', async () => {
    const { tracer, spans } = createTestTracer();
    @Module({ providers: [Answers], exports: [Answers] })
    class AnswersModule {}
    const app = await Test.createTestingModule({
      imports: [
        TracerModule.forRootAsync({
          imports: [AnswersModule],
          inject: [Answers],
          useFactory: (answers: Answers) => ({ tracer, sampleRate: answers.answer('1').length / 2 }),
        }),
      ],
    }).compile();
    app.get(Answers, { strict: false }).answer('later');
    expect(spans.at(-1)?.span_data.input).toEqual(['later']);
    await app.close();
  });
});

describe('TracerTestingModule', () => {
  it('replaces the tracer of an application', async () => {
    @Module({ imports: [TracerModule.forRoot({ apiKey: 'real' })], providers: [Answers] })
    class AppModule {}
    const app = await Test.createTestingModule({
      imports: [AppModule, TracerTestingModule.forRoot()],
    }).compile();
    app.get(Answers).answer('why');
    expect(app.get(TracerTestingModule).spans).toHaveLength(1);
    expect(app.get(Tracer)).toBe(app.get(TracerTestingModule).tracer);
    app.get(TracerTestingModule).clear();
    expect(app.get(TracerTestingModule).spans).toHaveLength(0);
    await app.close();
  });

  it('calls no options factory of the application and needs no key', async () => {
    const questions: string[] = [];
    const failFor = (who: string) => (): TracerModuleOptions => {
      questions.push(who);
      throw new Error(`${who} found no TRACER_API_KEY`);
    };
    @Injectable()
    class Config implements TracerOptionsFactory {
      createTracerOptions = failFor('useClass');
    }
    for (const way of [{ useFactory: failFor('useFactory') }, { useClass: Config }]) {
      const app = await Test.createTestingModule({
        imports: [TracerModule.forRootAsync(way), TracerTestingModule.forRoot()],
        providers: [Answers],
      }).compile();
      app.get(Answers).answer('why');
      expect(app.get(TracerTestingModule).spans).toHaveLength(1);
      await app.close();
    }
    expect(questions).toEqual([]);
  });

  it('provides a tracer to a service without a TracerModule', async () => {
    const app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      providers: [Answers],
    }).compile();
    app.get(Answers).answer('why');
    expect(app.get(TracerTestingModule).spans).toHaveLength(1);
    await app.close();
  });
});

describe('the scopes of a traced class', () => {
  it.each([Scope.DEFAULT, Scope.REQUEST, Scope.TRANSIENT])('scope %s is traced', async (scope) => {
    @Injectable({ scope })
    class Scoped {
      @Traced()
      work(): void {
        // Only the call matters.
      }
    }
    @Controller()
    class Unused {
      @Get()
      get(): void {
        // Any controller.
      }
    }
    const app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      controllers: [Unused],
      providers: [Scoped],
    }).compile();
    const scoped = scope === Scope.DEFAULT ? app.get(Scoped) : await app.resolve(Scoped);
    scoped.work();
    expect(app.get(TracerTestingModule).spans).toMatchObject([{ trace_function_key: 'Scoped.work' }]);
    await app.close();
  });
});

describe('a lazy-loaded module', () => {
  it('uses the tracer of the application that loads it', async () => {
    @Module({ providers: [Answers], exports: [Answers] })
    class LazyModule {}
    const app = await Test.createTestingModule({ imports: [TracerTestingModule.forRoot()] }).compile();
    const other = createTestTracer();
    const lazy = await app.get(LazyModuleLoader).load(() => LazyModule);
    lazy.get(Answers).answer('why');
    expect(app.get(TracerTestingModule).spans).toHaveLength(1);
    expect(other.spans).toHaveLength(0);
    await app.close();
  });
});

describe('shutdown', () => {
  it('flushes an existing tracer without shutting it down, and accepts late spans', async () => {
    const calls: string[] = [];
    const lines: string[] = [];
    const { tracer: model } = createTestTracer();
    const tracer = new Tracer(
      { apiKey: 'k' },
      {
        sink: {
          add: (line) => lines.push(line),
          flush: async () => calls.push('flush') > 0,
          shutdown: async () => void calls.push('shutdown'),
          stats: () => model.stats(),
        },
      },
    );
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRootAsync({ useFactory: () => ({ tracer }) })],
      providers: [Answers],
    }).compile();
    await app.init();
    await app.close();
    app.get(Answers).answer('late');
    expect(calls).toEqual(['flush', 'flush']);
    expect(lines).toHaveLength(1);
  });

  it('delays the application by at most one shutdown timeout', async () => {
    const waits: (number | undefined)[] = [];
    const { tracer: model } = createTestTracer();
    const sink = {
      add: () => undefined,
      flush: async (timeoutMs?: number) => {
        waits.push(timeoutMs);
        await new Promise((resolve) => setTimeout(resolve, 30));
        return false;
      },
      shutdown: async () => undefined,
      stats: () => model.stats(),
    };
    const tracer = new Tracer({ apiKey: 'k' }, { sink });
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer, delivery: { shutdownTimeoutMs: 1000 } })],
    }).compile();
    await app.init();
    await app.close();
    const [first, second] = waits;
    expect(first).toBe(1000);
    expect(second).toBeLessThan(1000);
  });
});

describe('invalid options', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a factory that returns nothing',
      () => start(() => undefined),
      /must return an object.*or \{\} for the defaults\.$/,
    ],
    ['a name that the factory returns', () => start(() => ({ name: 'x' })), /Pass it next to useFactory/],
    [
      'a hook that is not a function',
      () => start(() => ({ exclude: '/health' })),
      /Write it like exclude: \(context\)/,
    ],
    ['an object that is not a tracer', () => start(() => ({ tracer: {} })), /Pass new Tracer/],
    ['an invalid address', () => start(() => ({ apiKey: 'k', serviceUrl: 'nowhere' })), /Write it like http/],
    [
      "a misspelt option of the tracer's",
      () => start(() => ({ apikey: 'k' })),
      /Option apikey is unknown\. Did you mean apiKey\?$/,
    ],
    [
      "a misspelt option of the module's",
      () => start(() => ({ exlude: () => true })),
      /Did you mean exclude\?$/,
    ],
    [
      'a misspelt option of forRoot',
      async () => bootWith({ isGlobl: false } as object),
      /Did you mean isGlobal\?$/,
    ],
    [
      'a misspelt option of forRootAsync',
      async () => TracerModule.forRootAsync({ useFactroy: () => ({}) } as object),
      /Did you mean useFactory\?$/,
    ],
    [
      'a misspelt option of @Traced',
      async () => Traced('key', { tpye: 'llm' } as object),
      /Option tpye of @Traced is unknown\. Did you mean type\?$/,
    ],
  ])('%s is refused at bootstrap, and the message says what to do', async (_mistake, boot, cure) => {
    await expect(boot()).rejects.toThrow(cure);
  });

  async function bootWith(options: TracerModuleOptions): Promise<unknown> {
    return Test.createTestingModule({ imports: [TracerModule.forRoot(options)] }).compile();
  }

  async function start(useFactory: () => unknown): Promise<unknown> {
    return Test.createTestingModule({
      imports: [TracerModule.forRootAsync({ useFactory: useFactory as () => TracerModuleOptions })],
    }).compile();
  }
});

describe('the environment', () => {
  it('provides key and address if no option does', () => {
    const env = { TRACER_API_KEY: 'k', TRACER_SERVICE_URL: '' };
    expect(readEnvironment(env)).toEqual({ apiKey: 'k' });
  });
});
