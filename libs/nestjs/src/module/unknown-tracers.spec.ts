import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createTestTracer } from '@dacapo/tracer/testing';
import { TracerModule } from './tracer.module.js';
import { Traced } from '../tracing/traced.decorator.js';

class Judge {
  @Traced('judge', { tracer: 'evalz' })
  score(): string {
    return 'scored';
  }
}

class Desk {
  @Traced('desk')
  ask(): string {
    return 'asked';
  }
}

const nameOption = (token: string | undefined) => (token === undefined ? {} : { name: token });

/** The warnings when an application starts with tracers of these names; `undefined` is the tracer without a name. */
async function warningsWith(
  names: (string | undefined)[],
  provided: (new () => object)[],
): Promise<string[]> {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const app = await Test.createTestingModule({
    imports: names.map((name) =>
      TracerModule.forRoot({ ...nameOption(name), tracer: createTestTracer().tracer }),
    ),
    providers: provided,
  }).compile();
  await app.init();
  const messages = warn.mock.calls.map(([message]) => String(message));
  await app.close();
  warn.mockRestore();
  return messages;
}

describe('a method whose tracer no module provides', () => {
  it('causes one warning, which lists the known tracers', async () => {
    expect(await warningsWith(['evals', undefined], [Judge, Desk])).toEqual([
      '@Traced on Judge.score records nothing: this application has no tracer "evalz", but tracer "evals", ' +
        'tracer without a name. Correct the name, or import TracerModule.forRoot({ name: "evalz" }).',
    ]);
  });

  it('causes a warning if it names no tracer and there are several', async () => {
    const [messages] = await warningsWith(['evals', 'evalz'], [Judge, Desk]);
    expect(messages).toContain(
      '@Traced on Desk.ask records nothing: this application has no tracer without a name',
    );
  });

  it('causes no warning if its tracer, or only one, exists', async () => {
    expect(await warningsWith(['evalz'], [Judge, Desk])).toEqual([]);
  });

  it('runs unrecorded', async () => {
    const { tracer, spans } = createTestTracer();
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Judge],
    }).compile();
    expect([app.get(Judge).score(), spans]).toEqual(['scored', []]);
    await app.close();
  });
});
