import { createTestTracer } from '../testing.js';

describe('open spans', () => {
  it('are sent oldest first at shutdown, whatever ended in between', async () => {
    const { tracer, spans } = createTestTracer();
    const ends = new Map<string, () => void>();
    const wait = tracer.withSpan(
      'k',
      (name: string) => new Promise<void>((resolve) => ends.set(name, resolve)),
    );
    const names = ['a', 'b', 'c', 'd', 'e'];
    const calls = names.map((name) => wait(name));
    for (const name of ['a', 'c', 'e']) ends.get(name)!();
    await Promise.all([calls[0], calls[2], calls[4]]);
    await tracer.shutdown();
    expect(spans.map(({ status, span_data }) => [status, span_data.input?.[0]])).toEqual([
      ['ok', 'a'],
      ['ok', 'c'],
      ['ok', 'e'],
      ['unfinished', 'b'],
      ['unfinished', 'd'],
    ]);
    ends.get('b')!();
    await calls[1];
    expect(spans.at(-1)).toMatchObject({ status: 'ok', span_data: { input: ['b'] } });
  });
});
