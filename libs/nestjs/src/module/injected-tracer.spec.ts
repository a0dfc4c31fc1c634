import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { getTracerToken } from '../tokens.js';
import { Traced } from '../tracing/traced.decorator.js';
import { TracerModule } from './tracer.module.js';

class Client {
  @Traced('client.ask')
  ask(question: string): string {
    return question;
  }
}

@Injectable()
class FrozenClient extends Client {
  constructor() {
    super();
    Object.freeze(this);
  }
}

describe('the tracer of an instance', () => {
  const apps: TestingModule[] = [];
  afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));

  async function boot(value?: Client): Promise<TestingModule> {
    const app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      providers: [value === undefined ? FrozenClient : { provide: FrozenClient, useValue: value }],
    }).compile();
    apps.push(app);
    return app.init();
  }
  const ask = (app: TestingModule): number => {
    app.get(FrozenClient).ask('why');
    return app.get(TracerTestingModule).spans.length;
  };

  it('reaches frozen instances in each of two applications', async () => {
    expect([await boot(), await boot()].map(ask)).toEqual([1, 1]);
  });

  it.each([
    ['a value', () => new Client()],
    ['a frozen value', () => new FrozenClient()],
  ])('is the tracer of the next application when %s outlives the first', async (_, make) => {
    const value = make();
    const first = await boot(value);
    expect(ask(first)).toBe(1);
    await first.close();
    expect(ask(await boot(value))).toBe(1);
  });
});

describe('a stand-in for the tracer', () => {
  it('runs traced methods without recording', async () => {
    const module = await Test.createTestingModule({
      imports: [TracerModule.forRoot()],
      providers: [Client],
    })
      .overrideProvider(getTracerToken())
      .useValue({ flush: () => undefined })
      .compile();
    const app = await module.createNestApplication({ logger: false } as object).init();
    expect(app.get(Client).ask('why')).toBe('why');
    await app.close();
  });
});
