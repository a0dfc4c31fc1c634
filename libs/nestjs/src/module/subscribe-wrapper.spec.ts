import { type INestApplication, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Observable, of } from 'rxjs';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { TracerModule } from './tracer.module.js';

@Injectable()
class Answers {
  @Traced('answer')
  answer(): Observable<string> {
    return of('so');
  }
}

const subscribeNow = (): unknown => Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe')?.value;
const subscribe = subscribeNow();

async function boot({ isTraced }: { isTraced: boolean }): Promise<INestApplication> {
  const imports = isTraced
    ? [TracerModule.forRoot(), TracerTestingModule.forRoot()]
    : [TracerModule.forRoot()];
  const module = await Test.createTestingModule({ imports, providers: [Answers] }).compile();
  return module.createNestApplication({ logger: false } as object).init();
}

describe('subscribe of RxJS', () => {
  it('is wrapped while an application with a tracer runs, and restored after the last has closed', async () => {
    const first = await boot({ isTraced: true });
    const wrapped = subscribeNow();
    expect(wrapped).not.toBe(subscribe);
    const second = await boot({ isTraced: true });
    expect(subscribeNow()).toBe(wrapped);
    first.get(Answers).answer().subscribe();
    await first.close();
    expect(subscribeNow()).toBe(wrapped);
    await second.close();
    expect(subscribeNow()).toBe(subscribe);
  });

  it('is not wrapped while tracing is off', async () => {
    const app = await boot({ isTraced: false });
    expect(subscribeNow()).toBe(subscribe);
    await app.close();
  });
});
