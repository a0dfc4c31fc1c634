import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Tracer } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { Traced } from '../tracing/traced.decorator.js';
import { TracerModule } from './tracer.module.js';

@Injectable()
class Answers {
  @Traced('support.answer')
  async answer(question: Promise<string>): Promise<string> {
    return question;
  }
}

describe('an application under fake timers', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  const boot = async (tracer: Tracer) => {
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer, delivery: { shutdownTimeoutMs: 1000 } })],
      providers: [Answers],
    }).compile();
    return app.init();
  };

  it('adds no timer to those of the test, not even during a call', async () => {
    jest.useFakeTimers();
    const logger = { warn: () => undefined };
    const tracer = new Tracer({ apiKey: 'k', serviceUrl: 'http://127.0.0.1:1', logger });
    const app = await boot(tracer);
    const answer = app.get(Answers).answer(Promise.resolve('so'));
    expect(jest.getTimerCount()).toBe(0);
    await answer;
    await app.close();
    await tracer.shutdown(0);
  });

  it('closes within one shutdown timeout under fake timers', async () => {
    const waits: (number | undefined)[] = [];
    const { setTimeout: realSetTimeout } = globalThis;
    const { tracer: model } = createTestTracer();
    const sink = {
      add: () => undefined,
      flush: async (timeoutMs?: number) => {
        waits.push(timeoutMs);
        await new Promise((resolve) => realSetTimeout(resolve, 30));
        return false;
      },
      shutdown: async () => undefined,
      stats: () => model.stats(),
    };
    jest.useFakeTimers();
    const app = await boot(new Tracer({ apiKey: 'k' }, { sink }));
    await app.close();
    const [first, second] = waits;
    expect(first).toBe(1000);
    expect(second).toBeLessThan(1000);
  });
});
