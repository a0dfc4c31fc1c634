import {
  fromW3cTraceId,
  isSpanId,
  isTraceId,
  newSpanId,
  newTraceId,
  toW3cTraceId,
  uuidFromHash,
} from './ids.js';

describe('trace ids', () => {
  it('are UUIDs of version 7 and the RFC variant', () => {
    for (let i = 0; i < 200; i++) {
      expect(newTraceId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('sort by creation time', () => {
    expect(newTraceId(1_700_000_000_000) < newTraceId(1_700_000_000_001)).toBe(true);
  });

  it('contain the millisecond in their first 48 bits', () => {
    expect(parseInt(toW3cTraceId(newTraceId(1_700_000_000_123)).slice(0, 12), 16)).toBe(1_700_000_000_123);
  });

  it('convert to W3C ids and back', () => {
    const id = newTraceId();
    expect(toW3cTraceId(id)).toMatch(/^[0-9a-f]{32}$/);
    expect(fromW3cTraceId(toW3cTraceId(id))).toBe(id);
  });

  it.each(['', '0'.repeat(32), 'A'.repeat(32), 'a'.repeat(31), `${'a'.repeat(32)}\n`])(
    'reject %j as a W3C id',
    (text) => {
      expect(fromW3cTraceId(text)).toBeUndefined();
    },
  );

  it('are recognized by isTraceId', () => {
    expect(isTraceId(newTraceId())).toBe(true);
    expect(isTraceId('00000000-0000-0000-0000-000000000000')).toBe(false);
    expect(isTraceId('trace-1')).toBe(false);
  });
});

describe('span ids', () => {
  it('are 16 hex digits and unique', () => {
    const ids = Array.from({ length: 10_000 }, newSpanId);
    expect(ids.every(isSpanId)).toBe(true);
    expect(new Set(ids).size).toBe(10_000);
  });

  it('are never all zero', () => {
    expect(isSpanId('0000000000000000')).toBe(false);
  });
});

describe('uuidFromHash', () => {
  it.each([
    ['0123456789abcdef0123456789abcdef', '01234567-89ab-8def-8123-456789abcdef'],
    [`${'f'.repeat(32)}and more`, 'ffffffff-ffff-8fff-bfff-ffffffffffff'],
  ])('of %s is a UUID of version 8', (hash, uuid) => {
    expect(uuidFromHash(hash)).toBe(uuid);
    expect(isTraceId(uuid)).toBe(true);
  });
});
