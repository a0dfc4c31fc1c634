import { Inject, Injectable } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { IndexesClient, Tracer } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { getTracerToken } from '../tokens.js';
import { InjectTracer } from '../tracing/inject-tracer.decorator.js';
import { Traced } from '../tracing/traced.decorator.js';
import { TracerModule } from './tracer.module.js';

@Injectable()
class Answers {
  constructor(
    @Inject(Tracer) readonly byClass: Tracer,
    @InjectTracer() readonly byToken: Tracer,
  ) {}

  @Traced('support.answer')
  answer(question: string): string {
    return this.byClass.withSpan('inner', (text: string) => `${text}!`)(question);
  }
}

describe('a tracer that a test overrides', () => {
  const boot = async (adjust: (builder: TestingModuleBuilder) => TestingModuleBuilder) => {
    const real = createTestTracer();
    const app = await adjust(
      Test.createTestingModule({
        imports: [TracerModule.forRoot({ tracer: real.tracer })],
        providers: [Answers],
      }),
    ).compile();
    await app.init();
    return { app, real };
  };

  it.each([
    ['Tracer', Tracer],
    ['getTracerToken()', getTracerToken()],
  ])('is replaced for all calls when the test overrides %s', async (_, token) => {
    const stub = createTestTracer();
    const { app, real } = await boot((builder) => builder.overrideProvider(token).useValue(stub.tracer));
    const answers = app.get(Answers);
    answers.answer('why');
    await app.close();
    expect([answers.byClass, answers.byToken]).toEqual([stub.tracer, stub.tracer]);
    expect(stub.spans.map((span) => span.trace_function_key)).toEqual(['inner', 'support.answer']);
    expect(real.spans).toEqual([]);
  });

  it('may be replaced by a factory', async () => {
    const stub = createTestTracer();
    const { app, real } = await boot((builder) =>
      builder.overrideProvider(Tracer).useFactory({ factory: () => stub.tracer }),
    );
    app.get(Answers).answer('why');
    await app.close();
    expect([stub.spans.length, real.spans.length]).toEqual([2, 0]);
  });

  it('may be replaced by a plain object: traced methods then run unrecorded', async () => {
    const withSpan = (_key: string, fn: unknown) => fn;
    const { app, real } = await boot((builder) => builder.overrideProvider(Tracer).useValue({ withSpan }));
    expect(app.get(Answers).answer('why')).toBe('why!');
    expect(app.get(IndexesClient, { strict: false })).toBeUndefined();
    await app.close();
    expect(real.spans).toEqual([]);
  });

  it('is rejected under its token alone if the override is created after the tracer, with the cure', async () => {
    const building = boot((builder) =>
      builder.overrideProvider(getTracerToken()).useFactory({ factory: () => createTestTracer().tracer }),
    );
    await expect(building).rejects.toThrow(/Override Tracer, which also sets the token/);
  });
});
