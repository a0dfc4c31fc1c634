import { once } from 'node:events';
import { Socket } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createTestTracer } from '../../testing.js';

const setUp = createTestTracer;

const ended = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a followed Node stream', () => {
  it('keeps its data for a consumer that waited for readable first', async () => {
    const test = setUp();
    const stream = test.tracer.withSpan('k', () => Readable.from(['a', 'b', 'c']))();
    await once(stream, 'readable');
    await ended();
    expect(stream.readableFlowing).not.toBe(true);
    expect(await stream.toArray()).toEqual(['a', 'b', 'c']);
    await ended();
    expect(test.spans).toMatchObject([{ status: 'ok', span_data: { output: ['a', 'b', 'c'] } }]);
  });

  it('has the listeners that its host added, and no others', () => {
    const untraced = new PassThrough();
    const stream = setUp().tracer.withSpan('k', () => new PassThrough())();
    const counts = (emitter: PassThrough): number[] =>
      ['data', 'end', 'error', 'close'].map((name) => emitter.listenerCount(name));
    expect(counts(stream)).toEqual(counts(untraced));
    expect(Object.keys(stream)).toEqual(Object.keys(untraced));
  });

  it('flows through pipeline, with an encoding, and as objects', async () => {
    const test = setUp();
    const received: unknown[] = [];
    const sink = new Writable({
      objectMode: true,
      write(chunk, _, done) {
        received.push(chunk);
        done();
      },
    });
    await pipeline(test.tracer.withSpan('k', () => Readable.from([{ n: 1 }, { n: 2 }]))(), sink);
    expect(received).toEqual([{ n: 1 }, { n: 2 }]);
    const text = test.tracer.withSpan('k', () => Readable.from([Buffer.from('é')], { objectMode: false }))();
    expect(await text.setEncoding('utf8').toArray()).toEqual(['é']);
    await ended();
    expect(test.spans.map(({ span_data }) => span_data.output)).toEqual([[{ n: 1 }, { n: 2 }], ['é']]);
  });

  it('is followed while it is written to later, as a PassThrough is', async () => {
    const test = setUp();
    const stream = test.tracer.withSpan('k', () => new PassThrough({ encoding: 'utf8' }))();
    stream.write('to');
    stream.end('ken');
    expect((await stream.toArray()).join('')).toBe('token');
    await ended();
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
    expect((test.spans[0]!.span_data.output as string[]).join('')).toBe('token');
  });

  it('ends both spans when an outer recorded function returns the stream of an inner one', async () => {
    const test = setUp();
    const inner = test.tracer.withSpan('inner', () => Readable.from(['x']));
    const outer = test.tracer.withSpan('outer', () => inner());
    const stream = outer();
    expect(await stream.toArray()).toEqual(['x']);
    await ended();
    expect(test.spans.map(({ status, span_data }) => [status, span_data.output])).toEqual([
      ['ok', ['x']],
      ['ok', ['x']],
    ]);
    expect(Object.getOwnPropertyNames(stream)).not.toContain('emit');
  });

  it('is not wrapped when it is a connection', () => {
    const test = setUp();
    const socket = new Socket();
    expect(test.tracer.withSpan('k', () => socket)()).toBe(socket);
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
    expect(Object.getOwnPropertyNames(socket)).not.toContain('emit');
  });
});
