import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createTestTracer } from '@dacapo/tracer/testing';
import { TracerModule } from '../module/tracer.module.js';
import { Traced } from './traced.decorator.js';

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

const nameOf = (token: string | undefined) => (token === undefined ? {} : { name: token });

/** What the start of an application with tracers of these names warns of; `undefined`: the one without a name. */
async function warningsWith(
  names: (string | undefined)[],
  provided: (new () => object)[],
): Promise<string[]> {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const app = await Test.createTestingModule({
    imports: names.map((name) =>
      TracerModule.forRoot({ ...nameOf(name), tracer: createTestTracer().tracer }),
    ),
    providers: provided,
  }).compile();
  await app.init();
  const said = warn.mock.calls.map(([message]) => String(message));
  await app.close();
  warn.mockRestore();
  return said;
}

describe('a method whose tracer no module makes', () => {
  it('is told of once, with the tracers that there are', async () => {
    expect(await warningsWith(['evals', undefined], [Judge, Desk])).toEqual([
      '@Traced on Judge.score records nothing: this application has no tracer "evalz", but tracer "evals", ' +
        'tracer without a name. Correct the name, or import TracerModule.forRoot({ name: "evalz" }).',
    ]);
  });

  it('is told of where it names none and there are several', async () => {
    const [said] = await warningsWith(['evals', 'evalz'], [Judge, Desk]);
    expect(said).toContain(
      '@Traced on Desk.ask records nothing: this application has no tracer without a name',
    );
  });

  it('is not told of where its tracer, or the only one, is there', async () => {
    expect(await warningsWith(['evalz'], [Judge, Desk])).toEqual([]);
  });

  it('runs as it is', async () => {
    const { tracer, spans } = createTestTracer();
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Judge],
    }).compile();
    expect([app.get(Judge).score(), spans]).toEqual(['scored', []]);
    await app.close();
  });
});
