import type { FieldMeta, RecordedCall } from '@dacapo/protocol';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withMedia } from './recorded-media.js';
import { ServiceClient } from './service-client.js';

const IMAGES = Array.from({ length: 10 }, () => randomBytes(5000));
const hashBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const byId = new Map(IMAGES.map((bytes) => [hashBytes(bytes), bytes]));

/** A call whose arguments are all the images, by reference. */
function recordedCall(): Pick<RecordedCall, 'input' | 'meta'> {
  const truncated: NonNullable<FieldMeta['truncated']> = {};
  const types: NonNullable<FieldMeta['types']> = {};
  for (const [index, bytes] of IMAGES.entries()) {
    const media = { id: hashBytes(bytes), type: 'image/png', size: bytes.length };
    truncated[`/${index}`] = { bytes: bytes.length, kept: 48, sha256: media.id, media };
    types[`/${index}`] = { type: 'head', of: 'Buffer' };
  }
  const input = IMAGES.map((bytes) => bytes.toString('base64', 0, 48));
  return { input, meta: { input: { truncated, types } } };
}

describe('the media of a recorded call', () => {
  const waiting: (() => void)[] = [];
  /** How many requests waited together, each time that all of them were answered. */
  const groups: number[] = [];
  let asked = 0;
  let failsOne = false;
  const server = createServer((request, response: ServerResponse) => {
    const bytes = byId.get(request.url!.split('/').at(-1)!);
    if (bytes === undefined) {
      response.end('{}');
      return;
    }
    asked++;
    waiting.push(() => response.writeHead(200).end(bytes));
    const isLast = asked === IMAGES.length;
    if (waiting.length < 4 && !isLast) return;
    if (failsOne) {
      waiting.pop();
      response.writeHead(500).end('{}');
      return;
    }
    // A fifth request would come meanwhile.
    setImmediate(() => setImmediate(answerAll));
  });
  const answerAll = (): void => {
    if (waiting.length > 0) groups.push(waiting.length);
    for (const answer of waiting.splice(0)) answer();
  };
  const client = (): ServiceClient => {
    const serviceUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new ServiceClient({ serviceUrl, apiKey: 'k', timeoutMs: 60_000 });
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    [groups.length, asked, failsOne] = [0, 0, false];
  });

  it('are fetched four at once, and put back', async () => {
    const [whole] = await withMedia(client(), [recordedCall()]);
    expect(groups).toEqual([4, 4, 2]);
    expect(whole!.input).toEqual(IMAGES.map((bytes) => bytes.toString('base64')));
    expect(whole!.meta?.input?.truncated).toBeUndefined();
  });

  it('are not fetched further when one of them fails', async () => {
    failsOne = true;
    const service = client();
    await expect(withMedia(service, [recordedCall()])).rejects.toMatchObject({ status: 500 });
    answerAll();
    // The next requests would come with these.
    for (let turn = 0; turn < 5; turn++) await service.send('GET', '/other', {});
    expect(asked).toBe(4);
  });
});
