import { Injectable, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import DataLoader from 'dataloader';
import { bind } from '@dacapo/tracer';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';

const batch = async (keys: readonly string[]): Promise<string[]> => [...keys];

@Injectable()
class Shared {
  readonly loader = new DataLoader<string, string>(batch);
}

@Injectable()
class Bound {
  readonly loader = new DataLoader<string, string>(bind(batch));
}

@Injectable()
class PerRequest {
  loader(): DataLoader<string, string> {
    return new DataLoader<string, string>(batch);
  }
}

describe('a DataLoader', () => {
  it('that requests share causes a warning unless its batch is bound', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      providers: [Shared, Bound, PerRequest],
    }).compile();
    await app.init();
    expect(warn.mock.calls.map(([message]) => String(message).split(' is ')[0])).toEqual(['Shared.loader']);
    await app.close();
    warn.mockRestore();
  });
});
