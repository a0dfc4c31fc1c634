import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import type { Method } from './traced-method.js';
import { Traced } from './traced.decorator.js';

/** Does the same as @nestjs-cls/transactional. */
const Proxied = (): MethodDecorator => (_target, _key, descriptor: PropertyDescriptor) => {
  descriptor.value = new Proxy(descriptor.value as Method, {
    apply: (target, self, args): unknown => Reflect.apply(target, self, args),
  });
};

class Base {
  @Proxied()
  @Traced('answer')
  answer(question: string): string {
    return question;
  }
}

@Injectable()
class Answers extends Base {
  @Proxied()
  @Traced('answer')
  override answer(question: string): string {
    return super.answer(`${question}?`);
  }

  @Traced('job', {
    traceContext: (job: object) => job as Record<string, unknown>,
  })
  process(job: object): string {
    return typeof job;
  }
}

describe('a traced method', () => {
  let app: TestingModule;

  async function boot<T extends object>(service: new () => T): Promise<T> {
    app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot({ logger: { warn: () => undefined } })],
      providers: [service],
    }).compile();
    return app.get(service);
  }
  afterEach(() => app.close());
  const inputs = () => app.get(TracerTestingModule).spans.map((span) => span.span_data.input);

  it('is recorded if a decorator above replaces it by a proxy', async () => {
    const base = await boot(Base);
    expect(base.answer('why')).toBe('why');
    expect(inputs()).toEqual([['why']]);
  });

  it('is one span with the method that it overrides, also behind proxies', async () => {
    const answers = await boot(Answers);
    expect(answers.answer('why')).toBe('why?');
    expect(inputs()).toEqual([['why']]);
  });

  it('runs if reading the traceparent of its carrier throws', async () => {
    const answers = await boot(Answers);
    const job = Object.defineProperty({}, 'traceparent', {
      get: () => {
        throw new Error('expired');
      },
    });
    expect(answers.process(job)).toBe('object');
    expect(inputs()).toHaveLength(1);
  });
});
