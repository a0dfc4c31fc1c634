import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { TextBlock } from '../text-block.js';
import { bindPayload, computeChecksum } from './payload.js';

const FIELDS = ['input', 'output', 'error', 'prompt', 'contexts', 'usage', 'meta'] as const;

describe('the checksum of a payload', () => {
  it('is the CRC-32 of the number and the text of each field, whether texts are short, long or bound as bytes', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme', minLength: 200, maxLength: 400 }),
    );
    const record = fc.record(Object.fromEntries(FIELDS.map((field) => [field, text])), { requiredKeys: [] });
    fc.assert(
      fc.property(record, (payload: Partial<Record<(typeof FIELDS)[number], string>>) => {
        const whole = FIELDS.map((field, index) => {
          const json = payload[field];
          return json === undefined ? '' : `${index}${json}`;
        }).join('');
        const block = new TextBlock(Buffer.byteLength(whole));
        expect(computeChecksum(payload)).toBe(crc32(whole));
        expect(computeChecksum(bindPayload(payload, block))).toBe(crc32(whole));
      }),
    );
  });
});
