import './outside-fetch.js';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { type Uploadable } from 'openai';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { startStoredSpansService } from '../service/stored-spans-service.js';

/** The bodies that the server received. */
const received: Buffer[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push(Buffer.concat(chunks));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Hello."}');
  });
});
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dacapo-files-'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  received.length = 0;
});

const newClient = (): OpenAI => {
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new OpenAI({ apiKey: 'k', baseURL, maxRetries: 0 });
};
const transcribe = (client: OpenAI, file: Uploadable) =>
  client.audio.transcriptions.create({ model: 'whisper-1', file });
const sound = (bytes: Buffer, name = 'a.mp3'): File =>
  new File([new Uint8Array(bytes)], name, { type: 'audio/mpeg' });
const hashBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a file in a request', () => {
  it('is sent as without the tracer, and stored by its hash', async () => {
    const bytes = randomBytes(20_000);
    const { tracer, spans, media } = createTestTracer();
    await transcribe(tracer.wrapClient(newClient()), sound(bytes));
    expect(received[0]!.includes(bytes)).toBe(true);
    const id = hashBytes(bytes);
    const [
      {
        span_data: { input, meta },
      },
    ] = spans as [(typeof spans)[number]];
    expect(input).toMatchObject([
      { model: 'whisper-1', file: { file: 'a.mp3', type: 'audio/mpeg', size: 20_000, sha256: id } },
    ]);
    expect(meta?.input?.truncated).toMatchObject({ '/0/file/content': { media: { id, size: 20_000 } } });
    expect(media).toMatchObject([{ id, data: bytes.toString('base64') }]);
  });

  it('that is larger than what can be stored has its hash, type and size', async () => {
    const bytes = randomBytes(6 * 1024 * 1024);
    const { tracer, spans, media } = createTestTracer();
    await transcribe(tracer.wrapClient(newClient()), sound(bytes));
    expect(spans[0]!.span_data.input).toEqual([
      {
        model: 'whisper-1',
        file: { file: 'a.mp3', type: 'audio/mpeg', size: bytes.length, sha256: hashBytes(bytes) },
      },
    ]);
    expect(media).toEqual([]);
  });

  it('that is a stream is read by the client alone', async () => {
    const path = join(folder, 'a.mp3');
    const bytes = randomBytes(20_000);
    await writeFile(path, bytes);
    const { tracer, spans, media } = createTestTracer();
    const answer = await transcribe(tracer.wrapClient(newClient()), createReadStream(path));
    expect(answer.text).toBe('Hello.');
    expect(received[0]!.includes(bytes)).toBe(true);
    expect(spans[0]!.span_data.input).toEqual([{ model: 'whisper-1', file: { file: path, stream: true } }]);
    expect(media).toEqual([]);
  });

  it('is not read where no input is recorded', async () => {
    const file = sound(randomBytes(20_000));
    const { tracer, spans } = createTestTracer({ capture: { input: false } });
    let reads = 0;
    const read = file.arrayBuffer.bind(file);
    const counted = Object.assign(file, { arrayBuffer: () => (reads++, read()) });
    await transcribe(newClient(), counted);
    const ofClient = reads;
    await transcribe(tracer.wrapClient(newClient()), counted);
    expect(reads).toBe(2 * ofClient);
    expect(spans[0]!.span_data.input).toBeUndefined();
  });
});

describe('a replay of a request with a file', () => {
  const agent = (tracer: Tracer, file: () => File) => {
    const client = tracer.wrapClient(newClient());
    return tracer.withSpan('desk', async () => (await transcribe(client, file())).text);
  };
  const replay = async (recordedFile: File, replayedFile: File) => {
    const recorded = createTestTracer();
    await agent(recorded.tracer, () => recordedFile)();
    received.length = 0;
    const service = await startStoredSpansService(recorded.spans, { media: recorded.media });
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay(
      'desk',
      agent(tracer, () => replayedFile),
      { mock: 'all' },
    );
    await service.close();
    expect(received).toEqual([]);
    return items[0]!;
  };

  it.each([100, 20_000, 6 * 1024 * 1024])('answers the same %d bytes', async (size) => {
    const bytes = randomBytes(size);
    expect(await replay(sound(bytes), sound(bytes))).toMatchObject({
      verdict: 'same',
      result: 'Hello.',
      divergences: [],
    });
  });

  it.each([100, 20_000, 6 * 1024 * 1024])('does not answer %d other bytes', async (size) => {
    expect(await replay(sound(randomBytes(size)), sound(randomBytes(size)))).toMatchObject({
      verdict: 'error',
      error: { code: 'TRACER_REPLAY_MOCK_MISS' },
    });
  });

  it('answers an error that came before the file was read', async () => {
    const bytes = randomBytes(20_000);
    const client = (tracer: Tracer) =>
      tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: 'http://127.0.0.1:1', maxRetries: 0 }));
    const failing = (tracer: Tracer) => {
      const wrapped = client(tracer);
      return tracer.withSpan('desk', () =>
        transcribe(wrapped, sound(bytes)).then(String, (error: unknown) => String(error)),
      );
    };
    const recorded = createTestTracer();
    await failing(recorded.tracer)();
    const service = await startStoredSpansService(recorded.spans, { media: recorded.media });
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay('desk', failing(tracer), { mock: 'all' });
    await service.close();
    expect(items).toMatchObject([{ verdict: 'same', divergences: [] }]);
  });
});
