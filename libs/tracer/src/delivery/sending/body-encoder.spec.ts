import { brotliDecompressSync } from 'node:zlib';
import { BodyEncoder, isLoopback } from './body-encoder.js';

const BODY = Buffer.from('{"span":{"id":"0123456789abcdef"}}\n'.repeat(200));

describe('The body of a request', () => {
  it('is compressed with brotli', async () => {
    const { bytes, encoding } = await new BodyEncoder(true).encode(BODY);
    expect(encoding).toBe('br');
    expect(bytes.length).toBeLessThan(BODY.length / 10);
    expect(brotliDecompressSync(bytes).equals(BODY)).toBe(true);
  });

  it('is sent as it is when it is small, or once the service has refused compressed ones', async () => {
    const encoder = new BodyEncoder(true);
    expect(await encoder.encode(BODY.subarray(0, 500))).toEqual({ bytes: BODY.subarray(0, 500) });
    encoder.disable();
    expect(await encoder.encode(BODY)).toEqual({ bytes: BODY });
  });

  it.each([
    ['http://localhost:4100', true],
    ['http://dacapo.localhost', true],
    ['http://127.0.0.1:4100', true],
    ['http://127.8.8.8', true],
    ['http://[::1]:4100', true],
    ['http://10.0.0.1', false],
    ['https://127.0.0.1.example.com', false],
    ['https://dacapo.example.com', false],
  ])('for %s stays on this machine: %s', (url, onThisMachine) => {
    expect(isLoopback(new URL(url))).toBe(onThisMachine);
  });
});
