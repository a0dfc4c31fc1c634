import { setTimeout as sleep } from 'node:timers/promises';
import { expectSameCourse, type Program, replayProgram } from '../../../test/replay/replay-programs.js';

describe('mocked calls that are under way at one time end as they ended in the recording', () => {
  it('for an agent that appends tool results in the order of completion', () =>
    expectSameCourse(async (call) => {
      const messages: unknown[] = ['why'];
      for (let turn = 0; turn < 3; turn++) {
        const tools = (await call('model', [...messages], 2)) as unknown[];
        expect(tools).toHaveLength(messages.length);
        await Promise.all(
          ['slow', 'fast', 'middle'].map(async (tool) => messages.push(await call(tool, `${tool} ${turn}`))),
        );
      }
      return messages;
    }));

  it('for Promise.race', () =>
    expectSameCourse(async (call) =>
      Promise.race([call('slow', 's'), call('fast', 'f'), call('middle', 'm')]),
    ));

  it('for Promise.any', () =>
    expectSameCourse(async (call) =>
      Promise.any([call('slow', 's'), call('fails', 'f', 2), call('middle', 'm')]),
    ));

  it('for values pushed as they arrive, and for calls made later', () =>
    expectSameCourse(async (call, log) => {
      await Promise.all(['slow', 'fast', 'middle'].map((key) => call(key, key).then(log)));
      log(await call('fast', 'last'));
      return Promise.allSettled([call('fails', 'a', 6), call('slow', 'b').then(log), call('fails', 'c', 2)]);
    }));

  it('for branches that make one call after another', () =>
    expectSameCourse(async (call, log) => {
      const branch = async (name: string, ...delays: number[]): Promise<void> => {
        for (const [step, ms] of delays.entries()) log(await call('step', `${name}${step}`, ms));
      };
      await Promise.all([branch('a', 9, 9), branch('b', 3, 3, 14), branch('c', 25)]);
    }));

  it('for a call that lost a race and is looked at later', () =>
    expectSameCourse(async (call, log) => {
      const slow = call('slow', 'slow').then(log);
      log(await Promise.race([slow, call('fast', 'fast')]));
      log(await call('fast', 'second'));
      await slow;
    }));

  it('for a call that nobody waited for, and that ended after the replayed one', async () => {
    await expectSameCourse(async (call, log) => {
      void call('slow', 'late').then(log);
      return call('fast', 'answer');
    });
  });

  it('for streams, as far as the recording shows', () =>
    expectSameCourse(async (_, log, tracer) => {
      const tokens = tracer.withSpan('tokens', async function* (name: string, ms: number) {
        for (let i = 0; i < 3; i++) {
          await sleep(i === 0 ? ms : 1);
          yield name;
        }
        await sleep(ms);
      });
      const read = async (name: string, ms: number): Promise<void> => {
        let first = true;
        for await (const token of tokens(name, ms)) {
          if (first) log(`first ${token}`);
          first = false;
        }
        log(`end of ${name}`);
      };
      await Promise.all([read('a', 20), read('b', 8)]);
    }));

  it('next to a function that really runs: its end counts too', () =>
    expectSameCourse(
      async (call, log) => {
        // So slow that the one that really runs ends before it on a busy machine too.
        const slow = (name: string): Promise<unknown> => call('slow', name, 800);
        await Promise.all(
          [call('fast', 'fast'), call('middle', 'middle'), slow('slow')].map((made) => made.then(log)),
        );
        return Promise.race([call('middle', 'really'), slow('answered')]);
      },
      { live: [{ key: 'middle' }] },
    ));

  it('but not for ever next to one that waits for them now, even if it ended first then', async () => {
    let isToday = false;
    const program: Program = async (call, log, tracer) => {
      const tool = call('middle', 'tool').then(log);
      const model = tracer.withSpan('model', async () => {
        if (isToday) await tool;
        log('model');
      });
      await Promise.all([model(), tool]);
      isToday = true;
    };
    const { items } = await replayProgram(program, { live: [{ key: 'model' }] });
    expect(items).toMatchObject([{ result: ['tool', 'model', undefined], divergences: [] }]);
  });

  it('and never wait for a call that is not made any more', async () => {
    let isNew = false;
    const { items } = await replayProgram(async (call, log) => {
      const slow = call('slow', 'slow').then(log);
      if (!isNew) await call('fast', 'fast').then(log);
      isNew = true;
      await slow;
    });
    expect(items).toMatchObject([{ result: ['slow', undefined], divergences: [{ kind: 'missing' }] }]);
  });

  it('after the replayed call, if they ended after it then, so that a timer that really runs wins again', async () => {
    const { before, items } = await replayProgram(async (call) =>
      Promise.race([call('tool', 'tool', 400), sleep(5).then(() => 'timed out')]),
    );
    expect([before, items[0]?.result]).toEqual([['timed out'], ['timed out']]);
  });
});
